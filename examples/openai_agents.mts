// An agent of the OpenAI Agents SDK with working memory:  node openai_agents.mts SESSION MESSAGE SERVER…
//
// SERVER… is the command of an MCP server with the agent's other tools. Its large results become references.
import { execFileSync } from "node:child_process"
import { Agent, MCPServerStdio, run, setTracingDisabled } from "@openai/agents"

const [session, message, ...tools] = process.argv.slice(2)
const env = process.env as Record<string, string>

// The message: what the agent has on its pad, then the text. Keep only the text in a history of your own.
const withPad = (text: string) =>
  execFileSync("scratchpad", ["prompt", "--session", session], { input: text, encoding: "utf8" })

const server = (...args: string[]) => new MCPServerStdio({ name: args[0], command: "scratchpad", args, env })
const memory = server("mcp", "--tools", "pad,notes", "--session", session)
const behind = server("proxy", "--session", session, "--", ...tools)

setTracingDisabled(true)
await Promise.all([memory.connect(), behind.connect()])
try {
  const agent = new Agent({
    name: "worker",
    instructions: "Keep your plan and findings in session_scratchpad.",
    model: env.MODEL,
    mcpServers: [memory, behind],
  })
  console.log((await run(agent, withPad(message))).finalOutput)
} finally {
  await Promise.all([memory.close(), behind.close()])
}
