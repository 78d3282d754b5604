
// The names of the session pad's first design, and of the variables that mean the same here.
const NAMES = {
  maxTokens: "SCRATCHPAD_PAD_TOKEN_BUDGET",
  nudgeAfterTurns: "SCRATCHPAD_NUDGE_AFTER_TURNS",
  nudgeOnPlanDetected: "SCRATCHPAD_NUDGE_ON_PLAN",
  nudgeAfterCompaction: "SCRATCHPAD_NUDGE_AFTER_COMPACTION",
  nudgeTurnsSinceLastUse: "SCRATCHPAD_NUDGE_TURNS_SINCE_LAST_USE",
}

const idOf = (ctx) => ctx.sessionId ?? ctx.sessionKey
const about = (ctx) => ({ sessionID: idOf(ctx), directory: ctx.workspaceDir })

export default {
  id: "scratchpad",
  name: "Scratchpad",
  description: "Working memory that survives compaction",
  register(api) {
    const { enabled = true, ...own } = api.pluginConfig ?? {}
    if (!enabled) return
    for (const [name, value] of Object.entries(own)) if (NAMES[name]) settings[NAMES[name]] = String(Number(value))

    // What each conversation was told at its start.
    const lasting = new Map()
    const begin = (ctx, source, original) => {
      lasting.set(idOf(ctx), call("session.start", { ...about(ctx), source, original }).context)
    }

    const tools = offered(process.cwd())
    for (const { name, title = name, description, inputSchema } of tools) {
      // The model sees them at once, without a search for tools.
      const create = (context) => ({
        catalogMode: "direct-only",
        name,
        label: title,
        description,
        parameters: inputSchema,
        execute: (_id, args, signal) => use(name, { session: idOf(context), ...args }, context.workspaceDir, signal),
      })
      api.registerTool(create, { name })
    }

    // OpenClaw puts the context before the message in this request, and does not store it with the message.
    api.on("before_prompt_build", ({ prompt, messages }, ctx) => {
      if (!idOf(ctx)) return
      if (!lasting.has(idOf(ctx))) begin(ctx, messages.length > 0 ? "resume" : "startup")
      const told = divided(call("chat.message", { ...about(ctx), prompt: prompt || "-" }).context)
      lasting.set(idOf(ctx), joined(lasting.get(idOf(ctx)), told.lasting))
      const prependContext = joined(call("system.transform", about(ctx)).context, told.hints)
      return { prependContext, appendSystemContext: lasting.get(idOf(ctx)) }
    })

    api.registerAgentToolResultMiddleware(
      ({ toolName, args, result, cwd }, ctx) => {
        if (!idOf(ctx) || tools.some((tool) => tool.name === toolName)) return
        const fields = { sessionID: idOf(ctx), directory: cwd, tool: toolName, args, output: result.content }
        const { output } = call("tool.after", fields)
        if (output) return { result: { ...result, content: output } }
      },
      { runtimes: ["openclaw"] },
    )

    api.on("before_compaction", (_event, ctx) => {
      if (idOf(ctx)) call("session.compacting", about(ctx))
    })
    // A compaction may go on under another id.
    api.on("after_compaction", ({ previousSessionId }, ctx) => {
      if (idOf(ctx)) begin(ctx, "compact", previousSessionId)
    })
    api.on("agent_end", ({ messages }, ctx) => {
      if (!idOf(ctx)) return
      const content = messages.findLast((message) => message.role === "assistant")?.content ?? []
      const reply = Array.isArray(content) ? content.map((part) => part.text ?? "").join("\n") : content
      call("text.complete", { ...about(ctx), reply })
    })
    api.on("session_end", ({ reason }, ctx) => {
      lasting.delete(idOf(ctx))
      if (["new", "reset", "deleted"].includes(reason)) call("session.end", about(ctx))
    })
  },
}
