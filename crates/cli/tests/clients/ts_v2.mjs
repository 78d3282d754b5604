// The official TypeScript SDK, 2.x: node ts_v2.mjs MODE TARGET…  MODE: auto, legacy or a revision. Plays $SCENE.
import { createRequire } from 'node:module'
const sdk = createRequire(process.env.CLIENTS + '/ts2/package.json')
const load = path => import(sdk.resolve('@modelcontextprotocol/client' + path).replace('.cjs', '.mjs'))
const { Client, StreamableHTTPClientTransport } = await load('')
const { StdioClientTransport } = await load('/stdio')
const [mode, ...target] = process.argv.slice(2)
const scene = JSON.parse(process.env.SCENE)
const transport = target[0].startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env })
const client = new Client(
  { name: 'test-ts2', version: '0' },
  { versionNegotiation: { mode: mode === 'auto' || mode === 'legacy' ? mode : { pin: mode } } },
)
await client.connect(transport)
const calls = []
for (const [name, args] of scene.calls) calls.push(await client.callTool({ name, arguments: args }))
console.log(JSON.stringify({
  protocol: client.getNegotiatedProtocolVersion?.() ?? client.protocolVersion,
  instructions: client.getInstructions?.(),
  tools: (await client.listTools()).tools.map(tool => tool.name),
  calls: calls.map(call => [call.content.map(block => block.text), Boolean(call.isError)]),
  resource: (await client.readResource({ uri: scene.resource })).contents[0].text,
  prompts: (await client.listPrompts()).prompts.map(prompt => prompt.name),
  prompt: (await client.getPrompt({ name: scene.prompt })).messages[0].content.text,
}))
await client.close()
