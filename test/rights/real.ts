/**
 * A real server that worlds are asked of, over the network.
 *
 * @module
 */
import { request } from "node:https";
import type { Server } from "./answers.ts";
import type { Sender } from "./world.ts";

/** The server at an address, with the token of a member of `system:masters`. */
export const realServer = (url: string, token: string): Server => ({
  send: (method, path, body, by, more = {}) =>
    new Promise((resolve, reject) => {
      const who = { authorization: `Bearer ${token}`, ...insteadOf(by) };
      const headers = { "content-type": "application/json", ...more, ...who };
      const sent = request(new URL(path, url), { method, headers, rejectUnauthorized: false }, (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => resolve({ code: answer.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    }),
});

function insteadOf(by: Sender | undefined): Record<string, string | string[]> {
  return by ? { "impersonate-user": by.user, "impersonate-group": [...by.groups] } : {};
}
