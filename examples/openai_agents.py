"""An agent of the OpenAI Agents SDK with working memory:  openai_agents.py SESSION MESSAGE SERVER…

SERVER… is the command of an MCP server with the agent's other tools. Its large results become references.
"""

import asyncio
import os
import subprocess
import sys

from agents import Agent, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio


def with_pad(session, text):
    """The message: what the agent has on its pad, then the text. Keep only the text in a history of your own."""
    command = ["scratchpad", "prompt", "--session", session]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def server(*arguments):
    return MCPServerStdio({"command": "scratchpad", "args": list(arguments)}, client_session_timeout_seconds=60)


async def main(session, message, *tools):
    set_tracing_disabled(True)
    memory = server("mcp", "--tools", "pad,notes", "--session", session)
    behind = server("proxy", "--session", session, "--", *tools)
    async with memory, behind:
        agent = Agent(
            name="worker",
            instructions="Keep your plan and findings in session_scratchpad.",
            model=os.environ["MODEL"],
            mcp_servers=[memory, behind],
        )
        print((await Runner.run(agent, with_pad(session, message))).final_output)


asyncio.run(main(*sys.argv[1:]))
