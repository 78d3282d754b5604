"""A Pydantic AI agent with working memory:  pydantic_agent.py SESSION MESSAGE SERVER…

SERVER… is the command of an MCP server with the agent's other tools. Its large results become references.
"""

import os
import subprocess
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel


def with_pad(session, text):
    """The message: what the agent has on its pad, then the text. Keep only the text in a history of your own."""
    command = ["scratchpad", "prompt", "--session", session]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def server(*arguments):
    return MCPToolset(StdioTransport("scratchpad", list(arguments), env=dict(os.environ)))


def main(session, message, *tools):
    agent = Agent(
        OpenAIChatModel(os.environ["MODEL"]),
        instructions="Keep your plan and findings in session_scratchpad.",
        toolsets=[
            server("mcp", "--tools", "pad,notes", "--session", session),
            server("proxy", "--session", session, "--", *tools),
        ],
    )
    print(agent.run_sync(with_pad(session, message)).output)


main(*sys.argv[1:])
