/** A process that holds many connections in one way until it is killed: `node attacker.ts KIND PORT CA COUNT`. */
import { readFileSync } from "node:fs";
import { type KINDS, attack } from "../../src/server/testing/attackers.ts";

const [kind = "", port = "", ca = "", count = ""] = process.argv.slice(2);
const where = { port: Number(port), ca: readFileSync(ca, "utf8") };
const AT_ONCE = 50;

for (let from = 0; from < Number(count); from += AT_ONCE) {
  await Promise.all(Array.from({ length: AT_ONCE }, () => attack(kind as keyof typeof KINDS, where)));
}
console.log("all");
setInterval(() => {}, 1000);
