"""An agent of the Claude Agent SDK with working memory:  claude_agent.py SESSION MESSAGE SERVER…

SERVER… is the command of an MCP server with the agent's other tools. Its large results become references.
"""

import asyncio
import os
import subprocess
import sys

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query


def with_pad(session, text):
    """The message: what the agent has on its pad, then the text. Keep only the text in a history of your own."""
    command = ["scratchpad", "prompt", "--session", session]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


async def main(session, message, *tools):
    memory = ["mcp", "--tools", "pad,notes", "--session", session]
    behind = ["proxy", "--session", session, "--", *tools]
    options = ClaudeAgentOptions(
        system_prompt="Keep your plan and findings in session_scratchpad.",
        model=os.environ["MODEL"],
        mcp_servers={
            "memory": {"type": "stdio", "command": "scratchpad", "args": memory},
            "tools": {"type": "stdio", "command": "scratchpad", "args": behind},
        },
        allowed_tools=["mcp__memory__*", "mcp__tools__*"],
    )
    async for reply in query(prompt=with_pad(session, message), options=options):
        if isinstance(reply, ResultMessage):
            print(reply.result)


asyncio.run(main(*sys.argv[1:]))
