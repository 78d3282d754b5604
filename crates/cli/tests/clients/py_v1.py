"""The official Python SDK, 1.x: py_v1.py MODE TARGET…  Plays $SCENE and prints what the server answered as JSON."""
import asyncio, json, os, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def play(read, write):
    scene = json.loads(os.environ["SCENE"])
    async with ClientSession(read, write) as session:
        hello = await session.initialize()
        tools = await session.list_tools()
        calls = [await session.call_tool(name, arguments) for name, arguments in scene["calls"]]
        resource = await session.read_resource(scene["resource"])
        prompts = await session.list_prompts()
        prompt = await session.get_prompt(scene["prompt"])
        print(json.dumps({
            "protocol": hello.protocolVersion,
            "instructions": hello.instructions,
            "tools": [tool.name for tool in tools.tools],
            "calls": [[[block.text for block in call.content], bool(call.isError)] for call in calls],
            "resource": resource.contents[0].text,
            "prompts": [prompt.name for prompt in prompts.prompts],
            "prompt": prompt.messages[0].content.text,
        }))


async def main():
    target = sys.argv[2:]
    if target[0].startswith("http"):
        headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"} if "TOKEN" in os.environ else None
        async with streamablehttp_client(target[0], headers=headers) as (read, write, _):
            await play(read, write)
    else:
        server = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
        async with stdio_client(server) as (read, write):
            await play(read, write)


asyncio.run(main())
