// The official TypeScript SDK against the official "everything" server: node everything.mjs TARGET…
// Prints every message, both ways, as JSON.
import { createRequire } from 'node:module'
const sdk = createRequire(process.env.CLIENTS + '/ts1/package.json')
const load = path => import(sdk.resolve('@modelcontextprotocol/sdk/' + path).replace('/cjs/', '/esm/'))
const { Client } = await load('client/index.js')
const { StdioClientTransport } = await load('client/stdio.js')
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js')
const types = await load('types.js')
const target = process.argv.slice(2)
const transport = target[0].startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env })
const sent = [], got = []
const send = transport.send.bind(transport)
transport.send = (message, options) => (sent.push(structuredClone(message)), send(message, options))

const client = new Client(
  { name: 'test', version: '0' },
  { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} } },
)
const roots = new Promise(resolve => client.setRequestHandler(types.ListRootsRequestSchema, () => {
  setTimeout(resolve, 0)
  return { roots: [{ uri: 'file:///work', name: 'work' }] }
}))
client.setRequestHandler(types.CreateMessageRequestSchema, () => ({
  role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled' },
}))
client.setRequestHandler(types.ElicitRequestSchema, () => ({ action: 'decline' }))
await client.connect(transport)
const onmessage = transport.onmessage
transport.onmessage = (message, extra) => (got.push(structuredClone(message)), onmessage(message, extra))
await roots

const call = (name, args, options) =>
  client.callTool({ name, arguments: args }, undefined, options).catch(error => error.message)
await client.listTools()
await call('echo', { message: 'short' })
await call('echo', { message: 'Zeile "ä"\n\u{1F980}\\ '.repeat(1000) })
await call('get-sum', { a: 1, b: 2 })
await call('get-sum', { a: 'x' })
await call('no-such-tool', {})
await call('get-tiny-image', {})
for (const messageType of ['error', 'success', 'debug']) await call('get-annotated-message', { messageType, includeImage: true })
await call('get-resource-links', { count: 3 })
await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 })
await call('get-structured-content', { location: 'Chicago' })
await call('get-roots-list', {})
await call('trigger-sampling-request', { prompt: 'Say something', maxTokens: 10 })
await call('trigger-elicitation-request', {})
await call('trigger-long-running-operation', { duration: 0.1, steps: 3 }, { onprogress: () => {} })
// Two at once, and one that is given up.
await Promise.all([call('echo', { message: 'a' }), call('get-sum', { a: 3, b: 4 })])
const abort = new AbortController()
const given = call('trigger-long-running-operation', { duration: 0.5, steps: 1 }, { signal: abort.signal })
setTimeout(() => abort.abort('given up'), 50)
await given
const resources = await client.listResources()
await client.readResource({ uri: resources.resources[0].uri })
await client.listResourceTemplates()
await client.listPrompts()
await client.getPrompt({ name: 'simple-prompt' })
await client.complete({ ref: { type: 'ref/prompt', name: 'completable-prompt' }, argument: { name: 'department', value: 'E' } })
await client.setLoggingLevel('error')
await client.ping()
await client.sendRootsListChanged()
await client.ping()
await client.close()
console.log(JSON.stringify({ sent, got }))
