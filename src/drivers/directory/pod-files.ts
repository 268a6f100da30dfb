/**
 * Files about the Pod in its volume. The parameter or attribute `show` of the volume chooses them: `pod` is the file
 * `pod.json`, `tokens` the file `tokens.json`. Each publication, also a repeated one, writes them again (CSID-18).
 *
 * @module
 */
import { join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import type { PodContext } from "./pod-context.ts";
import { writeJson } from "./records.ts";

/** Writes the chosen files. Rejects with `InvalidArgument` where the agent has not sent what they need. */
export async function writePodFiles(show = "", directory: string, { pod, tokens }: PodContext): Promise<void> {
  for (const part of show.split(",").filter((name) => name !== "")) {
    if (part === "pod") {
      if (!pod) throw new DriverError("InvalidArgument", "show: pod needs podInfoOnMount in the CSIDriver");
      await writeJson(join(directory, "pod.json"), pod, 0o644);
    } else if (part === "tokens") {
      if (!tokens) throw new DriverError("InvalidArgument", "show: tokens needs tokenRequests in the CSIDriver");
      await writeJson(join(directory, "tokens.json"), JSON.parse(tokens) as object, 0o644);
    } else throw new DriverError("InvalidArgument", `expected show to be pod or tokens, got ${part}`);
  }
}
