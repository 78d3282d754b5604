#!/usr/bin/env node
// Starts the program that npm installed for this platform. `scratchpad-mcp --where` prints its path: hooks start the
// program itself, because node alone takes longer than a hook may.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const platform = `${process.platform}-${process.arch}`;

function program() {
  const file = process.platform === "win32" ? "scratchpad.exe" : "scratchpad";
  try {
    return require.resolve(`scratchpad-mcp-${platform}/${file}`);
  } catch {
    console.error(`Error: There is no scratchpad for ${platform} here.`);
    console.error("Hint: if npm skipped optional dependencies, install again with `--include=optional`; else build it: `cargo install scratchpad-mcp`.");
    process.exit(1);
  }
}

function launch(words) {
  const child = spawn(program(), words, { stdio: "inherit" });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"].filter((name) => name in constants.signals);
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`Error: The program does not start: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    // End as the program ended, so that whoever waits for us sees the same.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

const words = process.argv.slice(2);
if (words.length === 1 && words[0] === "--where") console.log(program());
else launch(words);
