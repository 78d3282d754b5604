// An agent of the AI SDK with working memory:  node ai_sdk.mts SESSION MESSAGE SERVER…
//
// SERVER… is the command of an MCP server with the agent's other tools. Its large results become references.
import { execFileSync } from "node:child_process"
import { createMCPClient } from "@ai-sdk/mcp"
import { Experimental_StdioMCPTransport as Stdio } from "@ai-sdk/mcp/mcp-stdio"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { generateText, isStepCount } from "ai"

const [session, message, ...tools] = process.argv.slice(2)
const env = process.env as Record<string, string>

// The message: what the agent has on its pad, then the text. Keep only the text in a history of your own.
const withPad = (text: string) =>
  execFileSync("scratchpad", ["prompt", "--session", session], { input: text, encoding: "utf8" })

const client = (...args: string[]) => createMCPClient({ transport: new Stdio({ command: "scratchpad", args, env }) })
const memory = await client("mcp", "--tools", "pad,notes", "--session", session)
const behind = await client("proxy", "--session", session, "--", ...tools)

const provider = createOpenAICompatible({ name: "model", baseURL: env.OPENAI_BASE_URL, apiKey: env.OPENAI_API_KEY })
try {
  const { text } = await generateText({
    model: provider(env.MODEL),
    system: "Keep your plan and findings in session_scratchpad.",
    prompt: withPad(message),
    tools: { ...(await memory.tools()), ...(await behind.tools()) },
    stopWhen: isStepCount(20),
  })
  console.log(text)
} finally {
  await Promise.all([memory.close(), behind.close()])
}
