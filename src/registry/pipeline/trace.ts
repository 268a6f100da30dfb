/**
 * Records what the steps of admission do with one write.
 *
 * @module
 */
import type { AdmissionRequest, AdmissionTrace } from "../../admission/contract.ts";
import type { ReportedRule, ReportedStep } from "../../meta/admission-report.ts";
import { changesBetween } from "../../meta/changes.ts";
import { ApiError } from "../../meta/status.ts";
import { copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Clock } from "../../util/clock.ts";
import type { Value } from "../../value/value.ts";
import { failureOf } from "../kind/errors.ts";

/** See the head of this file. */
export class WriteTrace implements AdmissionTrace {
  readonly #clock: Clock;
  readonly #steps: ReportedStep[] = [];
  #rules: ReportedRule[] = [];
  #operation = "";
  #unconcerned: readonly string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What has run so far, in its order. */
  get steps(): readonly ReportedStep[] {
    return this.#steps;
  }

  /** CREATE, UPDATE, DELETE or CONNECT; empty before the first step. */
  get operation(): string {
    return this.#operation;
  }

  /** The steps that do not concern the resource. */
  get unconcerned(): readonly string[] {
    return this.#unconcerned;
  }

  begin(request: AdmissionRequest, unconcerned: readonly string[]): void {
    this.#operation = request.operation;
    this.#unconcerned = unconcerned;
  }

  async step(
    name: string,
    phase: ReportedStep["phase"],
    request: AdmissionRequest,
    work: () => void | Promise<void>,
  ): Promise<void> {
    const { object, warnings } = request;
    const [since, before, warned] = [this.#clock.steady(), object && copyOf(object), warnings.length];
    this.#rules = [];
    let refusal: ApiError | undefined;
    try {
      await work();
    } catch (error) {
      refusal = error instanceof ApiError ? error : failureOf(error);
      throw error;
    } finally {
      this.#steps.push({
        name,
        phase,
        millis: this.#clock.steady() - since,
        changes: before && object ? changesBetween(plain(before), plain(object)) : [],
        warnings: warnings.slice(warned),
        ...(refusal ? { refusal: refusal.status } : {}),
        rules: this.#rules,
      });
    }
  }

  tell(rule: ReportedRule): void {
    this.#rules.push(rule);
  }
}

const plain = (object: ApiObject): Value => object as unknown as Value;
