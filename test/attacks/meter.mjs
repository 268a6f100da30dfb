// Preloaded into a server: answers on a socket of its own what it is asked.
//
//     turn    the longest turn of the event loop since it was last asked, in ms of CPU of its thread
//     memory  bytes in use after a collection, and the resident memory
import { createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

// Threads are given this, too; nobody waits for their turns.
if (isMainThread) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const cpu = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  // Start-up is one long turn; it holds nobody up.
  let before = Infinity;
  let longest = 0;
  const look = () => {
    const now = cpu();
    longest = Math.max(longest, now - before);
    before = now;
  };
  setInterval(look, 2).unref();

  const ANSWERS = {
    turn() {
      look();
      const turn = longest;
      longest = 0;
      return { turn };
    },
    memory() {
      look();
      collect();
      collect();
      const { heapUsed, external, rss } = process.memoryUsage();
      // Nobody has asked for these collections but the test.
      before = cpu();
      return { used: heapUsed + external, rss };
    },
  };
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (question) => socket.write(`${JSON.stringify(ANSWERS[question.toString()]())}\n`));
    socket.unref();
  });
  server.listen(process.env["METER"]).unref();
}
