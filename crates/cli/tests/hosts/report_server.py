#!/usr/bin/env python3
"""An MCP server with one tool, whose report is large."""

import json
import sys

REPORT = "\n".join(f"NEEDLE-{number}" for number in range(13000, 13800))
TOOL = {"name": "report", "description": "A large report.", "inputSchema": {"type": "object", "properties": {}}}


def answer(method, params):
    if method == "initialize":
        server = {"name": "report", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": REPORT}]}
    return {} if method == "ping" else None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = answer(message["method"], message.get("params", {}))
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    reply |= {"error": {"code": -32601, "message": "no such method"}} if result is None else {"result": result}
    print(json.dumps(reply), flush=True)
