// pi's own reader of session logs:  pi_session.mjs MODULES FILE [say TEXT | branch NUMBER TEXT]
// `say` appends a message, `branch` first goes back to the message of that number. Prints what the model would see, and
// what of the pad is on that branch.
import { pathToFileURL } from "node:url";

const [modules, file, action, ...rest] = process.argv.slice(2);
const { SessionManager } = await import(
  pathToFileURL(`${modules}/@mariozechner/pi-coding-agent/dist/core/session-manager.js`)
);
const log = SessionManager.open(file);
const messages = () => log.getBranch().filter((entry) => entry.type === "message");
const say = (text) =>
  log.appendMessage({ role: "assistant", content: [{ type: "text", text }], provider: "p", model: "m" });
if (action === "say") say(rest[0]);
if (action === "branch") {
  log.branch(messages()[Number(rest[0])].id);
  say(rest[1]);
}
const ids = log.getEntries().map((entry) => entry.id);
console.log(
  JSON.stringify({
    seen: log.buildSessionContext().messages.map((message) => message.content[0].text ?? message.content),
    pad: log
      .getBranch()
      .filter((entry) => entry.type === "custom")
      .map((entry) => entry.data),
    entries: ids.length,
    ids: new Set(ids).size,
    wellFormed: ids.every((id) => /^[0-9a-f]{8}$/.test(id)),
  }),
);
