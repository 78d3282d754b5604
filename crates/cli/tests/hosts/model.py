"""A scripted model on loopback, in the words of four providers: what a host sends it is what reaches a model.

  Anthropic Messages   POST */messages            (and /messages/count_tokens)
  OpenAI Responses     POST */responses           (events or JSON; also /responses/compact)
  OpenAI Chat          POST */chat/completions    (events or JSON)
  Gemini               POST */models/M:generateContent, :streamGenerateContent, :countTokens

A script is a list of steps, each one of:
  {"tool": "<pattern of the tool's name as the host offers it>", "args": {...}, "usage": {"input": 190000}}
      "once": fires once and is skipped afterwards, where a compaction removes the turns that are counted;
      "force": the name to call even where the host did not offer it
  {"custom": "<name of a tool that takes text>", "input": "..."}   (Responses only; Codex's `exec` takes a script)
  {"text": "...", "usage": {...}}
  {"status": 400, "error": "prompt is too long: ..."}   fires once, then the next step is used

The last "[[mock:NAME]]" in a user's text picks the script; the step is the number of the assistant's turns after
that place, so nothing is remembered. A request without a mark (a title, a summary) gets the script "default".
An argument "$TOOLRESULT:<pattern>" becomes what the pattern finds in the newest tool result; of text before it, a %s.
"""

import json
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DONE = set()
SCRIPTS = {}
LOG = None
LOCK = threading.Lock()
MODELS = ["gemini-2.5-pro", "mock-model"]
# How hosts ask for a summary or a title.
SUMMARY = (
    r"Respond with TEXT ONLY|CONTEXT CHECKPOINT COMPACTION|<state_snapshot>|summary of the conversation"
    r"|summarize the conversation|conversation to summarize|PREFIX of a turn|factual summary|Generate a title"
    r"|anchored summary"
)


def txt(c):
    "all text of a content value in any dialect"
    if c is None:
        return ""
    if isinstance(c, str):
        return c
    if isinstance(c, list):
        return "\n".join(txt(x) for x in c)
    if isinstance(c, dict):
        if "functionResponse" in c:
            return json.dumps(c["functionResponse"])
        for k in ("text", "input_text", "output_text"):
            if isinstance(c.get(k), str):
                return c[k]
        for k in ("content", "output", "parts"):
            if k in c:
                return txt(c[k])
    return ""


def norm(api, b):
    "-> (turns [(role,kind,text)], tools [name])  role: user|assistant|tool"
    t, tools = [], []
    if api == "anthropic":
        for m in b.get("messages", []):
            c = m.get("content")
            c = [{"type": "text", "text": c}] if isinstance(c, str) else (c or [])
            if m["role"] == "assistant":
                t.append(("assistant", "call" if any(x.get("type") == "tool_use" for x in c) else "text", txt(c)))
            else:
                for x in c:
                    t.append(("tool" if x.get("type") == "tool_result" else "user", "", txt(x)))
        tools = [x.get("name") for x in b.get("tools", []) if x.get("name")]
    elif api == "responses":
        inp = b.get("input", [])
        inp = [{"type": "message", "role": "user", "content": inp}] if isinstance(inp, str) else inp
        for m in inp:
            ty = m.get("type", "message")
            if ty == "message":
                r = m.get("role")
                t.append(("assistant" if r == "assistant" else "user", "text", txt(m.get("content"))))
            elif ty in ("function_call", "custom_tool_call", "local_shell_call"):
                t.append(("assistant", "call", json.dumps(m)))
            elif ty.endswith("_output"):
                t.append(("tool", "", txt(m.get("output")) or json.dumps(m.get("output"))))
        for x in b.get("tools", []):
            if x.get("type") == "namespace":
                tools += [(x.get("name"), y.get("name")) for y in x.get("tools", [])]
            elif x.get("name"):
                tools.append(x["name"])
        for m in inp:
            if m.get("type") == "additional_tools":
                for x in m.get("tools", []):
                    if x.get("type") == "namespace":
                        tools += [(x.get("name"), y.get("name")) for y in x.get("tools", [])]
                    elif x.get("name"):
                        tools.append(x["name"])
    elif api == "chat":
        for m in b.get("messages", []):
            r = m.get("role")
            if r == "assistant":
                t.append(("assistant", "call" if m.get("tool_calls") else "text", txt(m.get("content"))))
            elif r == "tool":
                t.append(("tool", "", txt(m.get("content"))))
            elif r == "user":
                t.append(("user", "", txt(m.get("content"))))
        tools = [x["function"]["name"] for x in b.get("tools", []) if x.get("type") == "function"]
    elif api == "gemini":
        for m in b.get("contents", []):
            ps = m.get("parts", [])
            if m.get("role") == "model":
                t.append(("assistant", "call" if any("functionCall" in p for p in ps) else "text", txt(ps)))
            elif any("functionResponse" in p for p in ps):
                t.append(("tool", "", txt(ps)))
            else:
                t.append(("user", "", txt(ps)))
        for x in b.get("tools", []):
            tools += [f["name"] for f in x.get("functionDeclarations", x.get("function_declarations", []))]
    return t, tools


def pick(api, b):
    turns, tools = norm(api, b)
    name, at = None, -1
    for i, (r, k, s) in enumerate(turns):
        if r == "user":
            m = re.findall(r"\[\[mock:([\w.-]+)\]\]", s)
            if m:
                name, at = m[-1], i
    tail = "\n".join(
        s for r, k, s in turns[max([i for i, x in enumerate(turns) if x[0] == "assistant"] + [-1]) + 1 :] if r == "user"
    )
    if name is None or re.search(SUMMARY, tail) or name not in SCRIPTS or (api == "anthropic" and not tools):
        st = SCRIPTS["default"][0]
        return "default", 0, dict(st), turns, tools
    n = sum(1 for r, k, s in turns[at:] if r == "assistant")
    steps = [x for k, x in enumerate(SCRIPTS[name]) if (name, k) not in DONE]  # "status" and "once" steps fire once
    st = dict(steps[min(n, len(steps) - 1)])
    if "status" in st or st.get("once"):
        DONE.add((name, SCRIPTS[name].index(st)))
    last = next((s for r, k, s in reversed(turns) if r == "tool"), "")

    def sub(v):
        if isinstance(v, str) and "$TOOLRESULT:" in v:
            form, pattern = v.split("$TOOLRESULT:", 1)
            m = re.search(pattern, last)
            found = m.group(m.lastindex or 0) if m else "NOMATCH"
            return form % found if form else found
        if isinstance(v, dict):
            return {k: sub(x) for k, x in v.items()}
        if isinstance(v, list):
            return [sub(x) for x in v]
        return v

    if "tool" in st:
        st["args"] = sub(st.get("args", {}))
        full = lambda x: x if isinstance(x, str) else "%s%s" % x
        hit = [x for x in tools if re.search(st["tool"], full(x))]
        if hit:
            st["name"] = hit[0]
        elif "force" in st:
            st["name"] = st["force"]
        else:
            st = {"text": "MOCK-ERROR no tool matches %s in %s" % (st["tool"], [full(x) for x in tools])}
    return name, n, st, turns, tools


def usage(st):
    u = st.get("usage", {})
    return u.get("input", 100), u.get("output", 20)


class H(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *a):
        pass

    def js(self, o, code=200):
        d = json.dumps(o).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(d)))
        self.end_headers()
        self.wfile.write(d)

    def sse(self, evs, named=True, done=False):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for e in evs:
            if named:
                self.wfile.write(("event: %s\n" % e["type"]).encode())
            self.wfile.write(("data: %s\n\n" % json.dumps(e)).encode())
        if done:
            self.wfile.write(b"data: [DONE]\n\n")
        self.wfile.flush()
        self.close_connection = True

    def rec(self, **k):
        with LOCK:
            k = dict(t=round(time.time(), 3), path=self.path, method=self.command, **k)
            with open(LOG, "a") as f:
                f.write(json.dumps(k) + "\n")

    def do_GET(self):
        self.rec(api="get")
        if "models" in self.path:
            ms = [
                dict(
                    id=m,
                    object="model",
                    created=0,
                    owned_by="mock",
                    type="model",
                    display_name=m,
                    name="models/" + m,
                    slug=m,
                )
                for m in MODELS
            ]
            return self.js({"object": "list", "data": ms, "models": ms, "has_more": False})
        self.js({})

    do_HEAD = do_GET

    def do_POST(self):
        n = int(self.headers.get("content-length") or 0)
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b""
            while True:
                sz = int(self.rfile.readline().strip() or b"0", 16)
                raw += self.rfile.read(sz)
                self.rfile.readline()
                if sz == 0:
                    break
        else:
            raw = self.rfile.read(n)
        enc = self.headers.get("content-encoding", "")
        if enc == "gzip":
            import gzip

            raw = gzip.decompress(raw)
        if enc == "zstd":
            try:
                import zstandard

                raw = zstandard.ZstdDecompressor().decompress(raw, max_output_size=1 << 28)
            except Exception:
                raw = b"{}"
        try:
            b = json.loads(raw or b"{}")
        except Exception:
            b = {}
        p = self.path.split("?")[0]
        hd = {
            k: v
            for k, v in self.headers.items()
            if k.lower() not in ("authorization", "x-api-key", "x-goog-api-key", "cookie")
        }
        if p.endswith("/count_tokens"):
            self.rec(api="count")
            return self.js({"input_tokens": max(1, len(raw) // 4)})
        if p.endswith(":countTokens"):
            self.rec(api="count")
            return self.js({"totalTokens": max(1, len(raw) // 4)})
        api = (
            "anthropic"
            if p.endswith("/messages")
            else (
                "responses"
                if p.endswith("/responses") or p.endswith("/responses/compact")
                else "chat" if p.endswith("/chat/completions") else "gemini" if "enerateContent" in p else None
            )
        )
        if not api:
            self.rec(api="other", body=b, headers=hd)
            return self.js({})
        name, step, st, turns, tools = pick(api, b)
        self.rec(api=api, script=name, step=step, reply=st, headers=hd, body=b)
        if "status" in st:
            return self.js(
                {
                    "type": "error",
                    "error": {
                        "type": st.get("etype", "invalid_request_error"),
                        "code": st.get("code"),
                        "message": st.get("error", "mock"),
                    },
                },
                st["status"],
            )
        getattr(self, "w_" + api)(b, st, p)

    def w_anthropic(self, b, st, p):
        i, o = usage(st)
        mid = "msg_" + uuid.uuid4().hex[:24]
        if "name" in st:
            blk = {"type": "tool_use", "id": "toolu_" + uuid.uuid4().hex[:24], "name": st["name"], "input": st["args"]}
            stop = "tool_use"
        else:
            blk = {"type": "text", "text": st["text"]}
            stop = "end_turn"
        msg = {
            "id": mid,
            "type": "message",
            "role": "assistant",
            "model": b.get("model"),
            "content": [blk],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {
                "input_tokens": i,
                "output_tokens": o,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
            },
        }
        if not b.get("stream"):
            return self.js(msg)
        start = dict(msg, content=[], stop_reason=None)
        if "name" in st:
            b0 = dict(blk, input={})
            d = {"type": "input_json_delta", "partial_json": json.dumps(st["args"])}
        else:
            b0 = {"type": "text", "text": ""}
            d = {"type": "text_delta", "text": st["text"]}
        self.sse(
            [
                {"type": "message_start", "message": start},
                {"type": "content_block_start", "index": 0, "content_block": b0},
                {"type": "content_block_delta", "index": 0, "delta": d},
                {"type": "content_block_stop", "index": 0},
                {
                    "type": "message_delta",
                    "delta": {"stop_reason": stop, "stop_sequence": None},
                    "usage": {"input_tokens": i, "output_tokens": o},
                },
                {"type": "message_stop"},
            ]
        )

    def w_responses(self, b, st, p):
        i, o = usage(st)
        rid = "resp_" + uuid.uuid4().hex[:20]
        if "custom" in st:
            it = {
                "type": "custom_tool_call",
                "id": "ctc_" + uuid.uuid4().hex[:20],
                "call_id": "call_" + uuid.uuid4().hex[:20],
                "name": st["custom"],
                "input": st["input"],
                "status": "completed",
            }
        elif "name" in st:
            it = {
                "type": "function_call",
                "id": "fc_" + uuid.uuid4().hex[:20],
                "call_id": "call_" + uuid.uuid4().hex[:20],
                "arguments": json.dumps(st["args"]),
                "status": "completed",
            }
            if isinstance(st["name"], (list, tuple)):
                it["namespace"], it["name"] = st["name"]
            else:
                it["name"] = st["name"]
        else:
            it = {
                "type": "message",
                "id": "msg_" + uuid.uuid4().hex[:20],
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": st["text"], "annotations": []}],
            }
        us = {
            "input_tokens": i,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": o,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": i + o,
        }
        r = {
            "id": rid,
            "object": "response",
            "created_at": int(time.time()),
            "status": "completed",
            "model": b.get("model"),
            "output": [it],
            "usage": us,
            "error": None,
        }
        if p.endswith("/compact"):
            return self.js({"output": [it]})
        if not b.get("stream"):
            return self.js(r)
        evs = [{"type": "response.created", "response": dict(r, status="in_progress", output=[], usage=None)}]
        if it["type"] == "message":
            evs += [
                {
                    "type": "response.output_item.added",
                    "output_index": 0,
                    "item": dict(it, content=[], status="in_progress"),
                },
                {
                    "type": "response.content_part.added",
                    "item_id": it["id"],
                    "output_index": 0,
                    "content_index": 0,
                    "part": {"type": "output_text", "text": "", "annotations": []},
                },
                {
                    "type": "response.output_text.delta",
                    "item_id": it["id"],
                    "output_index": 0,
                    "content_index": 0,
                    "delta": st["text"],
                },
                {
                    "type": "response.output_text.done",
                    "item_id": it["id"],
                    "output_index": 0,
                    "content_index": 0,
                    "text": st["text"],
                },
            ]
        elif it["type"] == "custom_tool_call":
            words = {"item_id": it["id"], "output_index": 0}
            added = {"output_index": 0, "item": dict(it, input="", status="in_progress")}
            evs += [
                {"type": "response.output_item.added"} | added,
                {"type": "response.custom_tool_call_input.delta", "delta": it["input"]} | words,
                {"type": "response.custom_tool_call_input.done", "input": it["input"]} | words,
            ]
        else:
            evs += [
                {
                    "type": "response.output_item.added",
                    "output_index": 0,
                    "item": dict(it, arguments="", status="in_progress"),
                },
                {
                    "type": "response.function_call_arguments.delta",
                    "item_id": it["id"],
                    "output_index": 0,
                    "delta": it["arguments"],
                },
                {
                    "type": "response.function_call_arguments.done",
                    "item_id": it["id"],
                    "output_index": 0,
                    "arguments": it["arguments"],
                },
            ]
        evs += [
            {"type": "response.output_item.done", "output_index": 0, "item": it},
            {"type": "response.completed", "response": r},
        ]
        for k, e in enumerate(evs):
            e["sequence_number"] = k
        self.sse(evs)

    def w_chat(self, b, st, p):
        i, o = usage(st)
        cid = "chatcmpl-" + uuid.uuid4().hex[:20]
        base = {"id": cid, "created": int(time.time()), "model": b.get("model")}
        if "name" in st:
            tc = {
                "id": "call_" + uuid.uuid4().hex[:20],
                "type": "function",
                "function": {"name": st["name"], "arguments": json.dumps(st["args"])},
            }
            msg, fin = {"role": "assistant", "content": None, "tool_calls": [tc]}, "tool_calls"
            dl = {"role": "assistant", "content": None, "tool_calls": [dict(tc, index=0)]}
        else:
            msg, fin = {"role": "assistant", "content": st["text"]}, "stop"
            dl = dict(msg)
        us = {"prompt_tokens": i, "completion_tokens": o, "total_tokens": i + o}
        if not b.get("stream"):
            return self.js(
                dict(
                    base,
                    object="chat.completion",
                    choices=[{"index": 0, "message": msg, "finish_reason": fin}],
                    usage=us,
                )
            )
        ch = lambda d, f=None: dict(
            base, object="chat.completion.chunk", choices=[{"index": 0, "delta": d, "finish_reason": f}]
        )
        self.sse(
            [ch(dl), ch({}, fin), dict(base, object="chat.completion.chunk", choices=[], usage=us)],
            named=False,
            done=True,
        )

    def w_gemini(self, b, st, p):
        i, o = usage(st)
        part = (
            {"functionCall": {"id": "fc_" + uuid.uuid4().hex[:12], "name": st["name"], "args": st["args"]}}
            if "name" in st
            else {"text": st["text"]}
        )
        r = {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": i, "candidatesTokenCount": o, "totalTokenCount": i + o},
            "modelVersion": "mock",
            "responseId": uuid.uuid4().hex,
        }
        if "streamGenerateContent" in p:
            return self.sse([r], named=False)
        self.js(r)


class Model:
    """The model, listening on a free port of loopback."""

    def __init__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), H)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def play(self, scripts, log):
        """From now on these scripts, and a log of what is sent."""
        global LOG
        DONE.clear()
        SCRIPTS.clear()
        SCRIPTS.update(scripts)
        LOG = log
