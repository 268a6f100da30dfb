/**
 * `GET /keelson/v1/backup`: the records of the store as of one revision, while it serves. See docs/guides/storage.md.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { badRequest } from "../../meta/status.ts";
import { type Route, answerStream, ownerOf } from "../../server/index.ts";
import { backupStream } from "../../storage/backup/write.ts";
import type { Store } from "../../storage/contract.ts";
import type { Clock } from "../../util/clock.ts";

const TYPES = { zstd: "application/zstd", gzip: "application/gzip" } as const;

/** The route to a backup of a store. */
export const backupRoute = (store: Store, dialect: Dialect, clock: Clock): Route => ({
  path: "/keelson/v1/backup",
  methods: ["GET"],
  answer: async (server, request) => {
    const compression = request.incoming.query.text("compression") || "zstd";
    if (compression !== "zstd" && compression !== "gzip") {
      throw badRequest(`expected compression to be zstd or gzip, got ${JSON.stringify(compression)}`);
    }
    const time = new Date(clock.now()).toISOString();
    const stream = backupStream(store, { dialect: dialect.name, time }, compression);
    const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    // The first piece comes before the response begins, so that the client gets an error where the store cannot be read.
    const first = await pieces.next();
    const cancel = (): void => void stream.destroy();
    const all = startingWith(first, pieces);
    await answerStream(server, request.response, ownerOf(request), TYPES[compression], all, cancel).finally(cancel);
  },
});

async function* startingWith(first: IteratorResult<Buffer>, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value;
}
