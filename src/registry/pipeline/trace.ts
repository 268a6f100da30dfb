/**
 * Records the effects of the steps of admission on one write.
 *
 * @module
 */
import type { AdmissionRequest, AdmissionTrace } from "../../admission/contract.ts";
import type { ReportedRule, ReportedStep } from "../../meta/admission-report.ts";
import { changesBetween } from "../../meta/changes.ts";
import type { ReportedChange } from "../../meta/history-report.ts";
import { ApiError } from "../../meta/status.ts";
import { asValue, copyOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Clock } from "../../util/clock.ts";
import { isSmall } from "../../value/small.ts";
import { failureOf } from "../kind/errors.ts";

/** The trace of one write. */
export class WriteTrace implements AdmissionTrace {
  readonly #clock: Clock;
  readonly #steps: ReportedStep[] = [];
  #rules: ReportedRule[] = [];
  #operation = "";
  #unconcerned: readonly string[] = [];
  #isCut = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The steps that have run so far, in their order. */
  get steps(): readonly ReportedStep[] {
    return this.#steps;
  }

  /** CREATE, UPDATE, DELETE or CONNECT; empty before the first step. */
  get operation(): string {
    return this.#operation;
  }

  /** Whether changes are missing, because the object is too large to compare it after each step. */
  get isCut(): boolean {
    return this.#isCut;
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
    // A step does not change the object that it validates.
    const before = phase === "mutate" ? this.copy(object) : undefined;
    const [since, warned] = [this.#clock.steady(), warnings.length];
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
        changes: this.changes(before, object),
        warnings: warnings.slice(warned),
        ...(refusal ? { refusal: refusal.status } : {}),
        rules: this.#rules,
      });
    }
  }

  tell(rule: ReportedRule): void {
    this.#rules.push(rule);
  }

  copy(object: ApiObject | undefined): ApiObject | undefined {
    return object && this.#isComparable(object) ? copyOf(object) : undefined;
  }

  changes(before: ApiObject | undefined, after: ApiObject | undefined): readonly ReportedChange[] {
    if (!before || !after || !this.#isComparable(before) || !this.#isComparable(after)) return [];
    return changesBetween(asValue(before), asValue(after));
  }

  #isComparable(object: ApiObject): boolean {
    const isSmallEnough = isSmall(object);
    this.#isCut ||= !isSmallEnough;
    return isSmallEnough;
  }
}
