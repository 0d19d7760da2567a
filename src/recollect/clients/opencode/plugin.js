// Written by `recollect init`; `recollect uninstall` takes it away.
// Each event starts one process of recollect that ends by itself. Nothing here can fail the session it runs in.
import { spawn } from "node:child_process";

const COMMAND = [];
// What comes before the command at every tool call: it looks whether there may be something to say before Python starts.
const GATE = [];
const SECONDS = 10;
const EVENTS = new Set(["session.created", "session.compacted", "session.deleted"]);

// What recollect answers: {context: text for the agent, message: a line for the person}, or nothing.
function tell(hook, payload, gate = []) {
  return new Promise((resolve) => {
    let said = "";
    let child;
    const done = () => {
      clearTimeout(timer);
      try {
        resolve(said.trim() ? JSON.parse(said) : {});
      } catch {
        resolve({});
      }
    };
    const timer = setTimeout(() => {
      child?.kill();
      resolve({});
    }, SECONDS * 1000);
    try {
      const [program, ...words] = [...gate, ...COMMAND, hook];
      child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] });
      child.on("error", () => done());
      child.on("close", done);
      child.stdout.on("data", (piece) => (said += piece));
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify({ hook, ...payload }));
    } catch {
      done();
    }
  });
}

// Parts are shown in the order of their ids: ours comes after the last of the person's own.
function partAfter(last, text) {
  const id = `${last.id.slice(0, -4)}zzzz`;
  return { id, messageID: last.messageID, sessionID: last.sessionID, type: "text", text, synthetic: true };
}

export const Recollect = async ({ directory }) => ({
  event: async ({ event }) => {
    if (EVENTS.has(event.type)) {
      await tell(`event:${event.type}`, { input: event.properties, directory });
    }
  },
  "chat.message": async (input, output) => {
    const answer = await tell("chat.message", { input, output, directory });
    const last = output.parts.at(-1);
    if (answer.context && last) {
      output.parts.push(partAfter(last, answer.context));
    }
  },
  "tool.execute.after": async (input, output) => {
    const answer = await tell("tool.execute.after", { input, output, directory }, GATE);
    if (answer.context && typeof output.output === "string") {
      output.output += `\n\n${answer.context}`;
    }
  },
  "experimental.text.complete": async (input, output) => {
    await tell("experimental.text.complete", { input, output, directory });
  },
});
