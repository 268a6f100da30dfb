// Preloaded into a server: keeps in a file how long its longest turn of the event loop was, in ms of CPU of its thread.
import { writeFileSync } from "node:fs";

const cpu = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let before = cpu();
let longest = 0;
// Start-up is one long turn; it holds nobody up.
setTimeout(() => {
  before = cpu();
  setInterval(() => {
    const now = cpu();
    if (now - before > longest) writeFileSync(process.env["TURN_FILE"], String((longest = now - before)));
    before = now;
  }, 2).unref();
}, 1000).unref();
