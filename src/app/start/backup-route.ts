/**
 * `GET /keelson/v1/backup`: the records of the store as of one revision, while it serves. See docs/guides/storage.md.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { badRequest } from "../../meta/status.ts";
import { type Route, ownerOf } from "../../server/index.ts";
import { backupStream } from "../../storage/backup/write.ts";
import type { Store } from "../../storage/contract.ts";
import type { Clock } from "../../util/clock.ts";

/** A reader that takes nothing for so long is given up: what it reads must be kept for it. */
const STALLED_MS = 60_000;

const TYPES = { zstd: "application/zstd", gzip: "application/gzip" } as const;

/** The route to a backup of a store. */
export const backupRoute = (store: Store, dialect: Dialect, clock: Clock): Route => ({
  path: "/keelson/v1/backup",
  methods: ["GET"],
  answer: async (server, request) => {
    const compression = request.query.text("compression") || "zstd";
    if (compression !== "zstd" && compression !== "gzip") {
      throw badRequest(`expected compression to be zstd or gzip, got ${JSON.stringify(compression)}`);
    }
    const time = new Date(clock.now()).toISOString();
    const stream = backupStream(store, { dialect: dialect.name, time }, compression);
    const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    // The first piece comes before the answer begins, so that a store that cannot be read is a failure that can be told.
    let piece = await pieces.next();
    request.code = 200;
    request.longRunning = true;
    const out = request.exchange.stream(200, request.headers(TYPES[compression]));
    const { connection } = request.exchange;
    const ongoing = { owner: ownerOf(request), connection, revoke: () => out.destroy() };
    server.ongoing.add(ongoing);
    out.onClose = () => stream.destroy();
    try {
      for (; !piece.done && !out.closed; piece = await pieces.next()) {
        request.bytesOut += piece.value.length;
        if (out.write(piece.value)) continue;
        const stalled = clock.after(STALLED_MS, () => out.destroy());
        await out.drained();
        stalled.cancel();
      }
      out.end();
    } catch {
      // The client must not take what it has for a backup.
      out.destroy();
    } finally {
      server.ongoing.delete(ongoing);
      stream.destroy();
    }
  },
});
