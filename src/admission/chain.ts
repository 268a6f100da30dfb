/**
 * The chain of admission: which steps run for a request, and in which order.
 *
 *     mutate -> (mutate once more) -> validate -> commit -> [the write is stored] or rollback
 *
 * Which steps concern a resource is found once, not for each request. A request waits only where a step does.
 *
 * @module
 */
import type { ObjectRef } from "../meta/status.ts";
import { whileHeld } from "../util/keyed-lock.ts";
import { inOrder } from "../util/when-done.ts";
import type { Admission, AdmissionRequest, AdmissionStep } from "./contract.ts";

type Member = "mutate" | "validate" | "commit" | "rollback";

/** A step that has a member. */
type StepWith<M extends Member> = AdmissionStep & Required<Pick<AdmissionStep, M>>;

/** The steps that concern one resource, in their order, by what they do. */
type StepsOf = { readonly [M in Member]: readonly StepWith<M>[] };

/** See the head of this file. */
export class Chain {
  readonly #steps: Admission;
  /** For as long as the kind is there. */
  readonly #ofWrites = new WeakMap<ObjectRef, StepsOf>();
  readonly #ofConnections = new WeakMap<ObjectRef, StepsOf>();

  constructor(steps: Admission) {
    this.#steps = steps;
  }

  /**
   * Lets steps change the object of a request; rejects with the refusal of the first that refuses. Where one of them asks for
   * it, all of them run once more, so that those before it see what it has made.
   */
  mutate(request: AdmissionRequest): Promise<void> | undefined {
    const { mutate } = this.#stepsOf(request);
    const { trace } = request;
    trace?.begin(request, this.#unconcerned(request));
    const run = (): Promise<void> | undefined =>
      inOrder(mutate, (step) =>
        trace
          ? trace.step(step.name, "mutate", request, () => held(request, step.mutate(request)))
          : held(request, step.mutate(request)),
      );
    const again = (): Promise<void> | undefined => (request.isReinvocation ? run() : undefined);
    const pending = run();
    return pending ? pending.then(again) : again();
  }

  /** Lets steps refuse a request. */
  validate(request: AdmissionRequest): Promise<void> | undefined {
    const { trace } = request;
    return inOrder(this.#stepsOf(request).validate, (step) =>
      trace
        ? trace.step(step.name, "validate", request, () => held(request, step.validate(request)))
        : held(request, step.validate(request)),
    );
  }

  /** What steps do once a request is valid and when its write is not stored; undefined where no step does anything. */
  commitment(request: AdmissionRequest): Commitment | undefined {
    const { commit, rollback } = this.#stepsOf(request);
    return commit.length + rollback.length === 0 ? undefined : new Commitment(commit, rollback, request);
  }

  /** The steps that do not concern a request, by their names. */
  #unconcerned({ ref, operation }: AdmissionRequest): readonly string[] {
    const concerned = new Set(this.#concerned(ref, operation === "CONNECT"));
    return this.#steps.filter((step) => !concerned.has(step)).map(({ name }) => name);
  }

  #stepsOf({ ref, operation }: AdmissionRequest): StepsOf {
    const connects = operation === "CONNECT";
    const found = connects ? this.#ofConnections : this.#ofWrites;
    let steps = found.get(ref);
    if (!steps) found.set(ref, (steps = this.#find(ref, connects)));
    return steps;
  }

  #concerned({ group, plural }: ObjectRef, connects: boolean): readonly AdmissionStep[] {
    return this.#steps
      .filter((step) => !connects || step.connects)
      .filter(({ resources }) => !resources || resources.some((one) => one.group === group && one.plural === plural));
  }

  #find(ref: ObjectRef, connects: boolean): StepsOf {
    const concerned = this.#concerned(ref, connects);
    const having = <M extends Member>(member: M): StepWith<M>[] =>
      concerned.filter((step): step is StepWith<M> => step[member] !== undefined);
    return {
      mutate: having("mutate"),
      validate: having("validate"),
      commit: having("commit"),
      rollback: having("rollback").toReversed(),
    };
  }
}

/** What steps do for one valid request, and undo where its write is not stored. */
export class Commitment {
  readonly #commit: StepsOf["commit"];
  readonly #rollback: StepsOf["rollback"];
  readonly #request: AdmissionRequest;

  constructor(commit: StepsOf["commit"], rollback: StepsOf["rollback"], request: AdmissionRequest) {
    this.#commit = commit;
    this.#rollback = rollback;
    this.#request = request;
  }

  /** Runs the commit of each step, in order; rejects with the refusal of the first that refuses. */
  confirm(): Promise<void> | undefined {
    return inOrder(this.#commit, (step) => step.commit(this.#request));
  }

  /** Runs the rollback of each step, the last one first, also where the write has lost its lock. */
  release(): Promise<void> | undefined {
    return inOrder(this.#rollback, (step) => step.rollback(this.#request));
  }
}

/** Waits for a step no longer than the lock of the write is held. */
const held = ({ hold }: AdmissionRequest, pending: void | Promise<void>): Promise<void> | undefined =>
  pending ? whileHeld(hold, pending) : undefined;
