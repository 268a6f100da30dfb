import type { Dialect } from "../../meta/dialect.ts";
import { badRequest } from "../../meta/status.ts";
import { type Route, respondWithStream, ownerOf } from "../../server/index.ts";
import { backupStream } from "../../storage/backup/write.ts";
import type { Store } from "../../storage/contract.ts";
import type { Clock } from "../../util/clock.ts";

const TYPES = { zstd: "application/zstd", gzip: "application/gzip" } as const;

/** Returns the route `GET /keelson/v1/backup`: the records of a store at one revision. See docs/guides/storage.md. */
export const backupRoute = (store: Store, dialect: Dialect, clock: Clock): Route => ({
  path: "/keelson/v1/backup",
  methods: ["GET"],
  handle: async (server, request) => {
    const compression = request.incoming.query.text("compression") || "zstd";
    if (compression !== "zstd" && compression !== "gzip") {
      throw badRequest(`expected compression to be zstd or gzip, got ${JSON.stringify(compression)}`);
    }
    const time = new Date(clock.now()).toISOString();
    const stream = backupStream(store, { dialect: dialect.name, time }, compression);
    const pieces: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
    // The first piece comes before the response begins, so that the client gets an error where the store cannot be read.
    const first = await pieces.next();
    const cancel = (): void => void stream.destroy();
    const all = startingWith(first, pieces);
    await respondWithStream(server, request.response, ownerOf(request), TYPES[compression], all, cancel).finally(
      cancel,
    );
  },
});

async function* startingWith(first: IteratorResult<Buffer>, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value;
}
