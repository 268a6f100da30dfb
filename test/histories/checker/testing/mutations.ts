/**
 * Ways to break a promise in a good history: each changes one thing that somebody was told, so that no server which
 * keeps its promises can have told it.
 *
 * @module
 */
import type { Random } from "../../../../src/util/clock.ts";
import { type History, isPut } from "../../history.ts";
import {
  type Draft,
  type Draw,
  type Op,
  acknowledged,
  changes,
  drawFrom,
  isQuiet,
  listed,
  read,
  resumed,
  revisionOf,
  showed,
  wrote,
} from "./draft.ts";

/** One way to break a promise. */
export interface Mutation {
  readonly name: string;
  /** The property that the checker must name. */
  readonly breaks: string;
  /** Changes the draft; false when there is nothing in it that could be changed so. */
  readonly apply: (draft: Draft<History>, draw: Draw) => boolean;
}

const mutation = (name: string, breaks: string, apply: Mutation["apply"]): Mutation => ({ name, breaks, apply });

/** Breaks a copy of a history; nothing when this mutation does not fit it. */
export function broken(history: History, { apply }: Mutation, random: Random): History | undefined {
  // Not structuredClone: one object that was shown to several must become several.
  const draft = JSON.parse(JSON.stringify(history)) as Draft<History>;
  return apply(draft, drawFrom(random)) ? draft : undefined;
}

/** Changes one thing that `draw` picks among `candidates`. */
function change<T>(draw: Draw, candidates: readonly T[], how: (candidate: T) => void): boolean {
  const candidate = draw(candidates);
  if (candidate === undefined) return false;
  how(candidate);
  return true;
}

/** Pairs of a read and an answer that came too late for it. */
const outdated = (draft: Draft<History>): { readonly op: Op; readonly old: Op }[] => {
  const writes = draft.operations.filter(wrote);
  return draft.operations
    .filter((op) => read(op, "newest"))
    .flatMap((op) => {
      const before = writes.filter((w) => w.request.key === op.request.key && w.return < op.call);
      const newest = Math.max(...before.map((w) => w.outcome.object.revision));
      return before.filter((w) => w.outcome.object.revision < newest).map((old) => ({ op, old }));
    });
};

/** Every mutation there is. */
export const MUTATIONS: readonly Mutation[] = [
  mutation("an acknowledged write is lost", "lost", (draft, draw) => {
    // Nobody goes on from a revision that was never shown.
    const starts = new Set(draft.streams.map(({ from }) => from));
    const writes = draft.operations.filter(wrote).filter(({ outcome }) => !starts.has(outcome.object.revision));
    return change(draw, writes, ({ outcome }) => {
      for (const stream of draft.streams) {
        stream.frames = stream.frames.filter(
          (frame) => revisionOf(frame) !== outcome.object.revision || frame.type === "BOOKMARK",
        );
      }
    });
  }),
  mutation("an acknowledged delete is lost", "lost", (draft, draw) => {
    const starts = new Set(draft.streams.map(({ from }) => from));
    const told = changes(draft, ({ colour }) => colour === undefined).filter(({ frame }) => frame.type === "DELETED");
    // Behind the last write nobody can know what is missing.
    const last = Math.max(
      ...draft.operations.flatMap(({ request, outcome, call }) =>
        isPut(request) && !request.same && outcome.is === "object" ? [call] : [],
      ),
    );
    const deletes = draft.operations.flatMap(({ outcome, return: end }) => {
      if (end >= last) return [];
      const event = told.find(({ frame: { object } }) => outcome.is === "deleted" && object.uid === outcome.uid);
      return event && !starts.has(event.frame.object.revision) ? [event.frame.object.uid] : [];
    });
    return change(draw, deletes, (uid) => {
      for (const stream of draft.streams) {
        stream.frames = stream.frames.filter((frame) => frame.type !== "DELETED" || frame.object.uid !== uid);
      }
    });
  }),
  mutation("a read shows an old version", "real time", (draft, draw) =>
    change(draw, outdated(draft), ({ op, old }) => {
      op.outcome = structuredClone(old.outcome);
    }),
  ),
  mutation("a list is of an old revision", "real time", (draft, draw) => {
    const lists = draft.operations.filter((op) => listed(op, "newest"));
    const pairs = lists.flatMap((op) => {
      const { scope, colour, limit } = op.request;
      const same = lists.filter(({ request: r }) => r.scope === scope && r.colour === colour && r.limit === limit);
      return same
        .filter((old) =>
          draft.operations.some(
            (w) =>
              wrote(w) &&
              w.request.key.startsWith(scope) &&
              w.return < op.call &&
              w.outcome.object.revision > old.outcome.pages[0]!.revision,
          ),
        )
        .map((old) => ({ op, old }));
    });
    return change(draw, pairs, ({ op, old }) => {
      op.outcome = structuredClone(old.outcome);
    });
  }),
  mutation("two writes are told the same revision", "one truth", (draft, draw) => {
    const writes = draft.operations.filter(wrote);
    const other = draw(writes);
    return change(
      draw,
      writes.filter((w) => w !== other),
      ({ outcome }) => {
        outcome.object.revision = other!.outcome.object.revision;
      },
    );
  }),
  mutation("an event is told twice", "once", (draft, draw) =>
    change(draw, changes(draft, resumed), ({ stream, index, frame }) => {
      stream.frames.splice(index + 1, 0, structuredClone(frame));
    }),
  ),
  mutation("an event is left out", "reliable", (draft, draw) => {
    const known = acknowledged(draft);
    const inner = changes(draft, resumed).filter(
      ({ stream, frame }) =>
        known.has(frame.object.revision) &&
        stream.frames.some((later) => (revisionOf(later) ?? 0) > frame.object.revision),
    );
    return change(draw, inner, ({ stream, index }) => void stream.frames.splice(index, 1));
  }),
  mutation("two events change places", "order", (draft, draw) => {
    const pairs = changes(draft, resumed).filter(({ stream, index }) => showed(stream.frames[index + 1]));
    return change(draw, pairs, ({ stream, index, frame }) => {
      stream.frames[index] = stream.frames[index + 1]!;
      stream.frames[index + 1] = frame;
    });
  }),
  mutation("a deleted object is read again", "real time", (draft, draw) => {
    const gone = draft.operations.filter((op) => op.outcome.is === "deleted");
    const pairs = draft.operations
      .filter((op) => op.request.verb === "get" && op.request.fresh.is === "newest")
      .flatMap((op) =>
        draft.operations
          .filter(wrote)
          .filter((w) => w.request.key === (op.request as { key: string }).key)
          .filter((w) =>
            gone.some((d) => (d.outcome as { uid: string }).uid === w.outcome.object.uid && d.return < op.call),
          )
          .map((old) => ({ op, old })),
      );
    return change(draw, pairs, ({ op, old }) => {
      op.outcome = { is: "object", status: 200, object: structuredClone(old.outcome.object) };
    });
  }),
  mutation("a conflict is ignored", "precondition", (draft, draw) => {
    const writes = draft.operations.filter(wrote);
    const pairs = writes
      .filter((w) => w.request.expected !== undefined)
      .flatMap((w) =>
        writes
          .filter(
            ({ request, outcome: { object } }) =>
              request.key === w.request.key && object.revision < w.outcome.object.revision,
          )
          .filter(({ outcome: { object } }) => object.revision !== w.request.expected)
          .map(({ outcome: { object } }) => ({ w, expected: object.revision })),
      );
    return change(draw, pairs, ({ w, expected }) => {
      w.request.expected = expected;
    });
  }),
  mutation("a delete removes another version than the one that was meant", "precondition", (draft, draw) => {
    const deletes = draft.operations.filter(
      ({ request, outcome }) => outcome.is === "deleted" && request.verb === "delete" && request.expected !== undefined,
    );
    return change(draw, deletes, ({ request }) => {
      (request as { expected: number }).expected--;
    });
  }),
  mutation("what changes nothing gets a new revision", "no change", (draft, draw) => {
    const same = draft.operations.filter(
      ({ request, outcome }) => isPut(request) && request.same && outcome.is === "object",
    );
    return change(draw, same, ({ outcome }) => {
      (outcome as { object: { revision: number } }).object.revision++;
    });
  }),
  mutation("a bookmark is ahead of what was sent", "order", (draft, draw) =>
    change(draw, changes(draft, resumed), ({ stream, index, frame: { object, at } }) => {
      stream.frames.splice(index, 0, { type: "BOOKMARK", revision: object.revision, initialEnd: false, at });
    }),
  ),
  mutation("a bookmark goes back", "bookmark", (draft, draw) =>
    change(draw, changes(draft, resumed), ({ stream, index, frame: { object, at } }) => {
      stream.frames.splice(index + 1, 0, { type: "BOOKMARK", revision: object.revision - 1, initialEnd: false, at });
    }),
  ),
  mutation("a DELETED event has not the last object", "last object", (draft, draw) => {
    const deletes = changes(draft, resumed).filter(({ frame }) => frame.type === "DELETED");
    return change(draw, deletes, ({ frame }) => {
      frame.object.id = "another";
    });
  }),
  mutation("an event shows another uid", "one truth", (draft, draw) => {
    // Where others have seen it too.
    const known = acknowledged(draft);
    const puts = changes(draft, resumed).filter(
      ({ frame: { type, object } }) => type !== "DELETED" && known.has(object.revision),
    );
    return change(draw, puts, ({ frame }) => {
      frame.object.uid = "another";
    });
  }),
  mutation("a list shows an object as it was at another revision", "state", (draft, draw) => {
    const writes = draft.operations.filter(wrote).map(({ outcome }) => outcome.object);
    const places = draft.operations
      .filter((op) => listed(op))
      .flatMap(({ outcome }) =>
        outcome.pages.flatMap((page) =>
          page.objects.flatMap((object, i) =>
            writes
              .filter((w) => w.key === object.key && w.revision !== object.revision)
              .map((other) => ({ page, i, other })),
          ),
        ),
      );
    return change(draw, places, ({ page, i, other }) => {
      page.objects[i] = structuredClone(other);
    });
  }),
  mutation("a list leaves an object out", "state", (draft, draw) => {
    const pages = draft.operations.filter((op) => listed(op)).flatMap(({ outcome }) => outcome.pages);
    return change(
      draw,
      pages.filter(({ objects }) => objects.length > 0),
      ({ objects }) => void objects.pop(),
    );
  }),
  mutation("a list shows a deleted object", "state", (draft, draw) => {
    const writes = draft.operations.filter(wrote).map(({ outcome }) => outcome.object);
    const places = draft.operations
      .filter((op) => listed(op))
      .flatMap(({ request, outcome }) => {
        const shown = new Set(outcome.pages.flatMap(({ objects }) => objects.map(({ key }) => key)));
        const fits = (o: { key: string; colour: string }): boolean =>
          o.key.startsWith(request.scope) && !shown.has(o.key) && (request.colour ?? o.colour) === o.colour;
        return writes.filter(fits).map((object) => ({ pages: outcome.pages, object }));
      });
    return change(draw, places, ({ pages, object }) => void pages.at(-1)!.objects.push(structuredClone(object)));
  }),
  mutation("the pages of a list are of two revisions", "one revision", (draft, draw) => {
    const lists = draft.operations.filter((op) => listed(op)).filter(({ outcome }) => outcome.pages.length > 1);
    return change(draw, lists, ({ outcome }) => {
      outcome.pages[1]!.revision++;
    });
  }),
  mutation("an exact list is of another revision", "exact", (draft, draw) => {
    const lists = draft.operations.filter((op) => listed(op, "exact"));
    return change(draw, lists, ({ outcome }) => {
      for (const page of outcome.pages) page.revision++;
    });
  }),
  mutation("a list is older than it may be", "not older", (draft, draw) => {
    const lists = draft.operations.filter((op) => listed(op, "notOlder"));
    return change(draw, lists, ({ request, outcome }) => {
      request.fresh = { is: "notOlder", than: outcome.pages[0]!.revision + 1 };
    });
  }),
  mutation("a refused write happens", "refused", (draft, draw) =>
    change(draw, draft.operations.filter(wrote), (op) => {
      (op as Op).outcome = { is: "refused", code: 409, reason: "Conflict" };
    }),
  ),
  mutation("the answer to a write shows another value", "answer", (draft, draw) =>
    change(draw, draft.operations.filter(wrote), ({ outcome }) => {
      outcome.object.id = "another";
    }),
  ),
  mutation("a watch goes on after an error", "after error", (draft, draw) =>
    change(
      draw,
      changes(draft, () => true),
      ({ stream, index, frame }) => {
        stream.frames.splice(index, 0, { type: "ERROR", code: 410, at: frame.at });
      },
    ),
  ),
  mutation("an object that is there already is ADDED, a new one MODIFIED", "event type", (draft, draw) => {
    const puts = changes(draft, resumed).filter(({ frame }) => frame.type !== "DELETED");
    return change(draw, puts, ({ frame }) => {
      frame.type = frame.type === "ADDED" ? "MODIFIED" : "ADDED";
    });
  }),
  mutation("an object that is there is not found", "refusal", (draft, draw) => {
    const reads = draft.operations.filter((op) => read(op, "newest") && isQuiet(draft, op));
    return change(draw, reads, (op) => {
      (op as Op).outcome = { is: "refused", code: 404, reason: "NotFound" };
    });
  }),
  mutation("a create is refused although there was nothing", "refusal", (draft, draw) =>
    change(draw, draft.operations.filter(wrote), ({ request: { key } }) => {
      draft.operations.push({
        client: "early",
        server: 0,
        call: 0.1,
        return: 0.2,
        request: { verb: "create", key, id: "early", colour: "red" },
        outcome: { is: "refused", code: 409, reason: "AlreadyExists" },
      });
    }),
  ),
  mutation("an object is deleted twice", "once", (draft, draw) =>
    change(
      draw,
      draft.operations.filter(({ outcome }) => outcome.is === "deleted"),
      (op) => {
        draft.operations.push(structuredClone(op));
      },
    ),
  ),
  mutation("an object is deleted by nobody", "thin air", (draft, draw) => {
    const deletes = draft.operations.filter(({ request }) => request.verb === "delete");
    const alone = deletes.filter(({ request, outcome }) => {
      const { key } = request as { key: string };
      return (
        outcome.is === "deleted" &&
        !deletes.some((d) => d.outcome.is === "unknown" && (d.request as { key: string }).key === key)
      );
    });
    return change(draw, alone, (op) => void draft.operations.splice(draft.operations.indexOf(op), 1));
  }),
  mutation("a value is written by nobody", "thin air", (draft, draw) =>
    change(draw, draft.operations.filter(wrote), (op) => void draft.operations.splice(draft.operations.indexOf(op), 1)),
  ),
  mutation("a value is seen before it was written", "real time", (draft, draw) =>
    change(draw, draft.operations.filter(wrote), (op) => {
      op.call += 1e6;
      op.return = op.call + 1;
    }),
  ),
  mutation("a write happens twice", "once", (draft, draw) => {
    const newest = Math.max(...draft.streams.flatMap(({ frames }) => frames.map((frame) => revisionOf(frame) ?? 0)));
    const pairs = draft.operations.filter(wrote).flatMap(({ outcome: { object } }) =>
      draft.streams
        .filter((stream) => resumed(stream) && stream.colour === undefined && object.key.startsWith(stream.scope))
        .filter(({ frames }) => !frames.some(({ type }) => type === "ERROR"))
        .map((stream) => ({ stream, object })),
    );
    return change(draw, pairs, ({ stream, object }) => {
      const at = (stream.frames.at(-1)?.at ?? stream.call) + 1;
      stream.frames.push({ type: "MODIFIED", object: { ...object, revision: newest + 1 }, at });
    });
  }),
  mutation("a watch shows what was before its start", "order", (draft, draw) => {
    const pairs = draft.streams.flatMap((stream) =>
      changes(draft, (other) => other.scope === stream.scope && other.colour === stream.colour)
        .filter(({ frame }) => stream.from !== "initial" && frame.object.revision <= stream.from)
        .map(({ frame }) => ({ stream, frame })),
    );
    return change(
      draw,
      pairs,
      ({ stream, frame }) => void stream.frames.unshift({ ...structuredClone(frame), at: 1e9 }),
    );
  }),
  mutation("a watch of a colour shows another", "filter", (draft, draw) =>
    change(
      draw,
      changes(draft, ({ colour }) => colour !== undefined),
      ({ frame }) => {
        frame.object.colour = "another";
      },
    ),
  ),
  mutation("the first state of a watch leaves an object out", "state", (draft, draw) => {
    const starts = draft.streams.filter(({ from, frames }) => from === "initial" && frames[0]?.type === "ADDED");
    return change(draw, starts, ({ frames }) => void frames.shift());
  }),
  mutation("the first state of a watch is told to be newer than it is", "state", (draft, draw) => {
    const starts = draft.streams.flatMap((stream) => {
      const end = stream.frames.findIndex((frame) => frame.type === "BOOKMARK" && frame.initialEnd);
      const next = stream.frames[end + 1];
      return end >= 0 && showed(next) ? [{ mark: stream.frames[end]!, next }] : [];
    });
    return change(draw, starts, ({ mark, next }) => {
      (mark as { revision: number }).revision = next.object.revision;
    });
  }),
  mutation("the first state of a watch ends twice", "initial", (draft, draw) => {
    const starts = draft.streams.filter(({ frames }) => frames.some((f) => f.type === "BOOKMARK" && f.initialEnd));
    return change(draw, starts, ({ frames }) => {
      const end = frames.findIndex((f) => f.type === "BOOKMARK" && f.initialEnd);
      frames.splice(end + 1, 0, structuredClone(frames[end]!));
    });
  }),
  mutation("the past is forgotten too early", "kept", (draft, draw) => {
    draft.keptMillis = 1e9;
    return change(draw, draft.streams.filter(resumed), ({ frames }) => {
      frames.push({ type: "ERROR", code: 410, at: 1e6 });
    });
  }),
  mutation("a watch stands still", "stalled", (draft, draw) =>
    change(
      draw,
      draft.streams.filter(({ due }) => due !== undefined),
      (stream) => {
        stream.due!++;
      },
    ),
  ),
];
