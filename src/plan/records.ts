/**
 * Records the writes of documents for audit: an event for each of them, however often they are judged.
 *
 * @module
 */
import { type Status, internalError } from "../meta/status.ts";
import type { PlanCaller, WriteRecord } from "./contract.ts";
import type { Judged } from "./judge.ts";
import { infoOf } from "./target.ts";

/** The code of a write that an earlier attempt had and the last one does not have. */
const CONFLICT = 409;

/** See the head of this file. */
export class WriteRecords {
  readonly #record: PlanCaller["record"];
  /** Those that have begun; undefined where the policy wants none. */
  readonly #begun = new Map<string, WriteRecord | undefined>();

  constructor({ record }: PlanCaller) {
    this.#record = record;
  }

  /**
   * Begins the records of writes, before anything is stored. Rejects with 500 where a record cannot be kept: nothing is done of which
   * there must be a record and is none.
   */
  async begin(judged: readonly Judged[]): Promise<void> {
    if (!this.#record) return;
    for (const one of judged) {
      const { at, document } = one;
      const key = keyOf(one);
      if (!at || this.#begun.has(key)) continue;
      const kept = this.#record(infoOf(at, document === undefined ? "DELETE" : "PATCH"));
      this.#begun.set(key, kept);
      if (!kept) continue;
      if (document !== undefined) kept.read("patch", document);
      if (!(await kept.received())) throw internalError(new Error("the audit event of a document could not be kept"));
    }
  }

  /**
   * The writes are over, with a Status where nothing is stored; their records end, and those of writes that are not made any more.
   */
  end(judged: readonly Judged[], status: Status | undefined): void {
    for (const one of judged) {
      const { planned } = one;
      const key = keyOf(one);
      const code = planned.status?.code ?? status?.code ?? (planned.result === "created" ? 201 : 200);
      this.#begun.get(key)?.done(code, planned.status ?? status);
      this.#begun.delete(key);
    }
    for (const record of this.#begun.values()) record?.done(status?.code ?? CONFLICT, status);
    this.#begun.clear();
  }
}

/** The key that identifies a write of a request, each time that it is judged. */
function keyOf({ planned: { document: position, object }, document }: Judged): string {
  if (position !== undefined) return String(position);
  const { apiVersion = "", kind = "", namespace = "", name = "" } = object ?? {};
  return [document === undefined ? "delete" : "apply", apiVersion, kind, namespace, name].join(" ");
}
