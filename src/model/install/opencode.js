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

export const Scratchpad = async ({ directory }) => {
  const hints = new Map()
  const starts = new Map()
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      if (!starts.has(sessionID)) {
        starts.set(sessionID, call("session.start", { sessionID, directory, source: "startup" }).context)
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
    "tool.execute.after": async ({ tool, sessionID, args }, result) => {
      const { output, content } = result
      const answer = call("tool.after", { sessionID, directory, tool, args, output: { output, content } })
      if (answer.output?.output !== undefined) result.output = answer.output.output
      if (answer.output?.content) result.content = answer.output.content
    },
  }
}
