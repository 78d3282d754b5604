// The official TypeScript SDK, 1.x: node ts_v1.mjs MODE TARGET…  Plays $SCENE and prints what the server answered as JSON.
import { createRequire } from 'node:module'
const sdk = createRequire(process.env.CLIENTS + '/ts1/package.json')
const load = path => import(sdk.resolve('@modelcontextprotocol/sdk/' + path).replace('/cjs/', '/esm/'))
const { Client } = await load('client/index.js')
const { StdioClientTransport } = await load('client/stdio.js')
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js')
const [, ...target] = process.argv.slice(2)
const scene = JSON.parse(process.env.SCENE)
const transport = target[0].startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env })
const client = new Client({ name: 'test-ts1', version: '0' }, { capabilities: {} })
await client.connect(transport)
const calls = []
for (const [name, args] of scene.calls) calls.push(await client.callTool({ name, arguments: args }))
console.log(JSON.stringify({
  protocol: transport.protocolVersion ?? null,
  instructions: client.getInstructions(),
  tools: (await client.listTools()).tools.map(tool => tool.name),
  calls: calls.map(call => [call.content.map(block => block.text), Boolean(call.isError)]),
  resource: (await client.readResource({ uri: scene.resource })).contents[0].text,
  prompts: (await client.listPrompts()).prompts.map(prompt => prompt.name),
  prompt: (await client.getPrompt({ name: scene.prompt })).messages[0].content.text,
}))
await client.close()
