import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs"
import { hostname } from "node:os"

// The keys of the pad in a session's log, and beside it who wrote it there: the log may be carried to another machine.
const KEY = "openclaw:scratchpad"
const WRITER = "scratchpad:written"
const SPACES = { notes: "", plan: "", refs: [] }

const idOf = (ctx) => ctx.sessionManager.getSessionId()
const about = (ctx) => ({ sessionID: idOf(ctx), directory: ctx.cwd })

const pad = (ctx) => parsed(run(["session", "show", "--json", "--session", idOf(ctx)], "", ctx.cwd))

// The last entry of each key on the branch.
const logged = (ctx) => {
  const entries = ctx.sessionManager.getBranch().filter((entry) => entry.type === "custom")
  return Object.fromEntries(entries.map((entry) => [entry.customType, entry.data]))
}

// A log from another machine, or one that lost its pad here, brings its pad.
const takeUp = (ctx) => {
  const found = logged(ctx)
  const entries = Object.entries(found).filter(([key]) => key === KEY || key.startsWith(`${KEY}:`))
  if (entries.length === 0) return
  const { revision = 0 } = pad(ctx)
  if (revision > 0 && (found[WRITER] ?? { machine: hostname() }).machine === hostname()) return
  const lines = entries.map(([customType, data]) => JSON.stringify({ type: "custom", customType, data }) + "\n")
  run(["session", "import", "-", "--session", idOf(ctx)], lines.join(""), ctx.cwd)
}

// The conversation that this one is a copy of: the first line of its log names it.
const original = (ctx) => {
  const file = ctx.sessionManager.getHeader()?.parentSession
  if (!file) return
  try {
    const start = Buffer.alloc(1 << 14)
    const log = openSync(file)
    const length = readSync(log, start)
    closeSync(log)
    return parsed(start.toString("utf8", 0, length).split("\n")[0]).id
  } catch {}
}

// The whole output of a command that pi cut.
const whole = ({ content, details }) => {
  const file = details?.fullOutputPath
  try {
    if (file && statSync(file).size < 1 << 25) return [{ type: "text", text: readFileSync(file, "utf8") }]
  } catch {}
  return content
}

export default function (pi) {
  const own = new Set()
  let lasting = ""
  let hints = ""

  const begin = (ctx, source, from) => {
    const { context, notice } = call("session.start", { ...about(ctx), source, original: from })
    lasting = context ?? ""
    hints = ""
    if (notice && ctx.hasUI) ctx.ui.notify(notice, "info")
  }

  // Entries of the log that the model never sees.
  const mirror = (ctx) => {
    const now = pad(ctx)
    if (now.revision === undefined) return
    const found = logged(ctx)
    const is = (space) => JSON.stringify(now[space]) === JSON.stringify(found[`${KEY}:${space}`] ?? SPACES[space])
    const changed = Object.keys(SPACES).filter((space) => !is(space))
    for (const space of changed) pi.appendEntry(`${KEY}:${space}`, now[space])
    if (changed.length > 0) pi.appendEntry(WRITER, { machine: hostname(), revision: now.revision })
  }

  for (const tool of offered(process.cwd())) {
    own.add(tool.name)
    pi.registerTool({
      name: tool.name,
      label: tool.title ?? tool.name,
      description: tool.description,
      parameters: tool.inputSchema,
      async execute(_id, args, signal, _update, ctx) {
        const result = await use(tool.name, { session: idOf(ctx), ...args }, ctx.cwd, signal)
        if (tool.name === "session_scratchpad") mirror(ctx)
        return result
      },
    })
  }

  pi.on("session_start", (event, ctx) => {
    // For scratchpad's commands in the agent's shell.
    process.env.SCRATCHPAD_SESSION = idOf(ctx)
    takeUp(ctx)
    const isOld = ctx.sessionManager.getBranch().some((entry) => entry.type === "message")
    const source = event.reason === "fork" ? "fork" : isOld ? "resume" : "startup"
    begin(ctx, source, isOld ? original(ctx) : undefined)
  })

  pi.on("before_agent_start", (event, ctx) => {
    const told = divided(call("chat.message", { ...about(ctx), prompt: event.prompt || "-" }).context)
    hints = told.hints
    lasting = joined(lasting, told.lasting)
    if (lasting) return { systemPrompt: joined(event.systemPrompt, lasting) }
  })

  // What is added here is in this request only.
  pi.on("context", ({ messages }, ctx) => {
    const block = joined(call("system.transform", about(ctx)).context, hints)
    if (!block) return
    const said = messages.findLast((message) => message.role === "user")
    if (!said) {
      const place = messages.findLastIndex((message) => message.role === "compactionSummary") + 1
      messages.splice(place, 0, { role: "user", content: [{ type: "text", text: block }], timestamp: Date.now() })
    } else if (typeof said.content === "string") {
      said.content = joined(block, said.content)
    } else {
      const first = said.content.find((part) => part.type === "text")
      if (first) first.text = joined(block, first.text)
      else said.content.unshift({ type: "text", text: block })
    }
    return { messages }
  })

  pi.on("tool_result", (event, ctx) => {
    if (own.has(event.toolName)) return
    const fields = { tool: event.toolName, args: event.input, output: whole(event) }
    const { output } = call("tool.after", { ...about(ctx), ...fields })
    if (output) return { content: output }
  })

  pi.on("session_before_compact", (_event, ctx) => {
    call("session.compacting", about(ctx))
  })
  pi.on("session_compact", (_event, ctx) => begin(ctx, "compact"))

  pi.on("agent_end", ({ messages }, ctx) => {
    const parts = messages.findLast((message) => message.role === "assistant")?.content ?? []
    const reply = parts.map((part) => part.text ?? "").join("\n")
    call("text.complete", { ...about(ctx), reply })
    mirror(ctx)
  })

  pi.on("session_shutdown", (event, ctx) => {
    if (event.reason !== "reload") call("session.end", about(ctx))
  })
}
