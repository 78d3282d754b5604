// Written by `scratchpad install HOST`: it calls scratchpad at each event. Changes here are lost.
import { spawn, spawnSync } from "node:child_process"

const program = "PROGRAM"
// Settings of scratchpad that this host's own configuration changes.
const settings = {}

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const run = (words, input, cwd) =>
  spawnSync(program, words, { input, cwd, env: { ...process.env, ...settings }, encoding: "utf8", timeout: 5000, maxBuffer: 1 << 28 })
    .stdout ?? ""

// What goes wrong is in scratchpad's hook.log; the conversation goes on.
const call = (event, fields) => parsed(run(["hook", "HOST", "--tools"], JSON.stringify({ event, ...fields })))

// The tools that the MCP server would offer in this directory.
const offered = (cwd) => {
  const request = (id, method, params) => JSON.stringify({ jsonrpc: "2.0", id, method, params })
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "HOST", version: "1" } }
  const asked = [request(1, "initialize", client), request(undefined, "notifications/initialized"), request(2, "tools/list", {})]
  const answers = run(["mcp"], asked.join("\n") + "\n", cwd).split("\n").map(parsed)
  return answers.find((answer) => answer.id === 2)?.result?.tools ?? []
}

// Calls a tool; its errors are thrown.
const use = (tool, args, cwd, signal) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, ["call", tool, "-", "--json"], { cwd, signal, env: { ...process.env, ...settings } })
    const told = { stdout: "", stderr: "" }
    for (const from of ["stdout", "stderr"]) child[from].setEncoding("utf8").on("data", (text) => (told[from] += text))
    child.on("error", reject)
    child.on("close", () => {
      const { content, isError } = parsed(told.stdout)
      const text = (content ?? []).map((part) => part.text ?? "").join("\n")
      if (!content || isError) reject(new Error(text || told.stderr.trim() || "scratchpad gave no answer"))
      else resolve({ content, details: {} })
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(args))
  })

const joined = (...parts) => parts.filter(Boolean).join("\n\n")

// Hints are for one message; what else a prompt is answered stays true until the next start.
const divided = (text = "") => {
  const isHint = (line) => line.startsWith("[Hint: ")
  const lines = text.split("\n")
  return {
    hints: lines.filter(isHint).join("\n"),
    lasting: lines.filter((line) => !isHint(line)).join("\n").trim(),
  }
}

