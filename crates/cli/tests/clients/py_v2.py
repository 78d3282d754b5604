"""The official Python SDK, 2.x: py_v2.py MODE TARGET…  MODE: auto, legacy or a revision. Plays $SCENE."""
import asyncio, json, os, sys
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


async def main():
    scene = json.loads(os.environ["SCENE"])
    mode, target = sys.argv[1], sys.argv[2:]
    if not target[0].startswith("http"):
        server = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
        transport = stdio_client(server)
    else:
        transport = target[0]
    async with Client(transport, mode=mode) as client:
        tools = await client.list_tools()
        calls = [await client.call_tool(name, arguments) for name, arguments in scene["calls"]]
        resource = await client.read_resource(scene["resource"])
        prompts = await client.list_prompts()
        prompt = await client.get_prompt(scene["prompt"])
        print(json.dumps({
            "protocol": client.protocol_version,
            "instructions": client.instructions,
            "tools": [tool.name for tool in tools.tools],
            "calls": [[[block.text for block in call.content], bool(call.is_error)] for call in calls],
            "resource": resource.contents[0].text,
            "prompts": [prompt.name for prompt in prompts.prompts],
            "prompt": prompt.messages[0].content.text,
        }))


asyncio.run(main())
