// Written by `scratchpad install opencode`: it calls scratchpad at each event. Changes here are lost.
import { spawnSync } from "node:child_process"

const program = "PROGRAM"

// What goes wrong is in scratchpad's hook.log; the conversation goes on.
const call = (event, fields) => {
  const input = JSON.stringify({ event, ...fields })
  const run = spawnSync(program, ["hook", "opencode", "--tools"], { input, encoding: "utf8", timeout: 5000, maxBuffer: 1 << 28 })
  try {
    return JSON.parse(run.stdout)
  } catch {
    return {}
  }
}

export const Scratchpad = async ({ directory, client }) => {
  const hints = new Map()
  const starts = new Map()

  // A fork is recognised by its title; it has the first message of its original, written at the same moment.
  const original = async (sessionID) => {
    const begun = async (id) => (await client.session.messages({ path: { id } })).data?.[0]?.info.time.created
    const own = (await client.session.get({ path: { id: sessionID } })).data
    const [, title, number] = own?.title.match(/^(.*) \(fork #(\d+)\)$/s) ?? []
    if (!number) return
    const from = number > 1 ? `${title} (fork #${number - 1})` : title
    const moment = await begun(sessionID)
    const found = []
    for (const { id, title } of (await client.session.list()).data ?? []) {
      if (id !== sessionID && title === from && (await begun(id)) === moment) found.push(id)
    }
    if (found.length === 1) return found[0]
  }

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      if (!starts.has(sessionID)) {
        const fields = { sessionID, directory, source: "startup", original: await original(sessionID).catch(() => undefined) }
        starts.set(sessionID, call("session.start", fields).context)
      }
      const prompt = parts.filter((part) => part.type === "text").map((part) => part.text).join("\n") || "-"
      hints.set(sessionID, call("chat.message", { sessionID, directory, prompt }).context)
    },
    // What is added here is not kept in the conversation.
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (!sessionID) return
      const { context } = call("system.transform", { sessionID, directory })
      for (const text of [starts.get(sessionID), context, hints.get(sessionID)]) if (text) system.push(text)
    },
    "experimental.session.compacting": async ({ sessionID }, { context }) => {
      const answer = call("session.compacting", { sessionID, directory })
      if (answer.context) context.push(answer.context)
    },
    // One process holds many conversations, those of sub-agents too: each call says which it is of.
    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      if (tool.startsWith("scratchpad_") && args && !args.session) args.session = sessionID
    },
    "tool.execute.after": async ({ tool, sessionID, args }, result) => {
      const { output, content } = result
      const answer = call("tool.after", { sessionID, directory, tool, args, output: { output, content } })
      if (answer.output?.output !== undefined) result.output = answer.output.output
      if (answer.output?.content) result.content = answer.output.content
    },
    "experimental.text.complete": async ({ sessionID }, { text }) => {
      call("text.complete", { sessionID, directory, reply: text })
    },
  }
}
