import type { Kind } from "../api/discovery.ts";
import type { DocumentHead } from "./documents.ts";
import type { EditorWorker } from "./in-worker.ts";
import type { KindSchema } from "./schema.ts";

/** Where kinds and their schemas come from. */
export interface SchemaSource {
  readonly worker: Pick<EditorWorker, "heads" | "schema">;
  readonly kindOf: (apiVersion: string, kind: string) => Kind | undefined;
  readonly load: (kind: Kind) => Promise<KindSchema | undefined>;
}

const keyOf = ({ apiVersion, kind }: Pick<DocumentHead, "apiVersion" | "kind">): string => `${apiVersion}/${kind}`;

/** What the documents of a text are, and their schemas. */
export class DocumentSchemas {
  readonly #source: SchemaSource;
  readonly #schemas = new Map<string, KindSchema>();
  #heads: readonly DocumentHead[] = [];

  constructor(source: SchemaSource) {
    this.#source = source;
  }

  /** Reads what the documents of a text are, and loads their schemas. */
  async read(text: string): Promise<readonly DocumentHead[]> {
    const heads = await this.#source.worker.heads(text);
    this.#heads = heads;
    const keys = new Set<string>();
    const fresh = heads.filter(
      (head) => !this.#schemas.has(keyOf(head)) && !keys.has(keyOf(head)) && keys.add(keyOf(head)),
    );
    await Promise.all(fresh.map((head) => this.#load(head)));
    return heads;
  }

  async #load(head: DocumentHead): Promise<void> {
    const { apiVersion, kind: name } = head;
    const kind = this.#source.kindOf(apiVersion, name);
    // Without a schema a text can be edited as well: the server validates it.
    const schema = kind && (await this.#source.load(kind).catch(() => undefined));
    if (!schema) return;
    this.#schemas.set(keyOf(head), schema);
    await this.#source.worker.schema(apiVersion, name, schema);
  }

  /** How many documents the text has that was read last. */
  get count(): number {
    return this.#heads.length;
  }

  /** The schema of the document at an offset of the text that was read last; undefined while it is not known. */
  at(offset: number): KindSchema | undefined {
    const head = this.#heads.findLast(({ from }) => from <= offset) ?? this.#heads[0];
    return head && this.#schemas.get(keyOf(head));
  }

  /** The schema of a kind that was read. */
  of(apiVersion: string, kind: string): KindSchema | undefined {
    return this.#schemas.get(keyOf({ apiVersion, kind }));
  }
}
