/**
 * What a volume shows of the Pod that it is published for, when its parameter or attribute `show` asks for it: `pod` is the
 * file `pod.json`, `tokens` the file `tokens.json`. Each publication, the repeated ones too, writes them anew (CSID-18).
 *
 * @module
 */
import { join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import type { PodContext } from "./context.ts";
import { writeJson } from "./records.ts";

/** Writes what is to be shown. Rejects with `InvalidArgument` where the agent has not told it. */
export async function show(what: string | undefined, directory: string, { pod, tokens }: PodContext): Promise<void> {
  for (const part of (what ?? "").split(",").filter((name) => name !== "")) {
    if (part === "pod") {
      if (!pod) throw new DriverError("InvalidArgument", "show: pod needs podInfoOnMount in the CSIDriver");
      await writeJson(join(directory, "pod.json"), pod, 0o644);
    } else if (part === "tokens") {
      if (tokens === undefined)
        throw new DriverError("InvalidArgument", "show: tokens needs tokenRequests in the CSIDriver");
      await writeJson(join(directory, "tokens.json"), JSON.parse(tokens) as object, 0o644);
    } else throw new DriverError("InvalidArgument", `expected show to be pod or tokens, got ${part}`);
  }
}
