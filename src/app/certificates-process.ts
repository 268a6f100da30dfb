/**
 * Makes the certificates that a Pki lacks, in a process of its own: the library is large and needed once a year, and the
 * server would keep its memory.
 *
 * Reads {@link MissingPairs} as JSON from standard input and writes {@link MadePairs} to standard output.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { authority, client, serving } from "./certificates.ts";
import type { MadePairs, MissingPairs } from "./make-certificates.ts";

const ADMIN = { user: "keelson:admin", groups: ["system:masters"] };
const STDIN = 0;

const { now, hosts, have, caDays, leafDays } = JSON.parse(readFileSync(STDIN, "utf8")) as MissingPairs;
const ca = have.ca ?? (await authority(now, caDays));
const made: MadePairs = {
  ca,
  server: have.server ?? (await serving(ca, hosts, now, leafDays)),
  admin: have.admin ?? (await client(ca, ADMIN.user, ADMIN.groups, now, leafDays)),
};
process.stdout.write(JSON.stringify(made));
