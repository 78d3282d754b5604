"""A LangGraph agent with working memory:  langgraph_agent.py SESSION MESSAGE SERVER…

SERVER… is the command of an MCP server with the agent's other tools. Its large results become references.
"""

import asyncio
import os
import subprocess
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


def with_pad(session, text):
    """The message: what the agent has on its pad, then the text. Keep only the text in a history of your own."""
    command = ["scratchpad", "prompt", "--session", session]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def server(*arguments):
    return {"transport": "stdio", "command": "scratchpad", "args": list(arguments), "env": dict(os.environ)}


async def main(session, message, *behind):
    memory = server("mcp", "--tools", "pad,notes", "--session", session)
    proxy = server("proxy", "--session", session, "--", *behind)
    tools = await MultiServerMCPClient({"memory": memory, "proxy": proxy}).get_tools()
    model = ChatOpenAI(model=os.environ["MODEL"]).bind_tools(tools)
    graph = StateGraph(MessagesState).add_edge(START, "model").add_edge("tools", "model")
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode(tools)).add_conditional_edges("model", tools_condition)
    state = await graph.compile().ainvoke({"messages": [("user", with_pad(session, message))]})
    print(state["messages"][-1].content)


asyncio.run(main(*sys.argv[1:]))
