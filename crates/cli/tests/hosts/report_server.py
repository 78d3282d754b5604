#!/usr/bin/env python3
"""An MCP server with a tool whose report is large, one whose rows are many, and one that measures what it gets."""

import json
import sys

REPORT = "\n".join(f"NEEDLE-{number}" for number in range(13000, 13800))
TOOL = {"name": "report", "description": "A large report.", "inputSchema": {"type": "object", "properties": {}}}
ROWS = {"name": "rows", "description": "Many rows.", "inputSchema": {"type": "object", "properties": {}}}
MEASURE = {
    "name": "measure",
    "description": "Measures a text, or repeats a number.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}, "number": {"type": "number"}}},
}


def called(name, arguments):
    if name == "rows":
        return json.dumps(list(range(4000)))
    if name == "measure":
        return f"MEASURED {len(arguments.get('text', ''))} characters, {json.dumps(arguments.get('number'))}"
    return REPORT


def answer(method, params):
    if method == "initialize":
        server = {"name": "report", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [TOOL, ROWS, MEASURE]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": called(params.get("name"), params.get("arguments") or {})}]}
    return {} if method == "ping" else None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = answer(message["method"], message.get("params", {}))
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    reply |= {"error": {"code": -32601, "message": "no such method"}} if result is None else {"result": result}
    print(json.dumps(reply), flush=True)
