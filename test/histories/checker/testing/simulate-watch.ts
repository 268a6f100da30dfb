import type { Frame, Seen, Stream } from "../../history.ts";
import type { SimulatedServer } from "./simulate.ts";

/** A watch of the model that ends now and then and continues where it was, or earlier, or from the current state. */
export class SimulatedWatch {
  readonly #server: SimulatedServer;
  readonly #client: string;
  readonly #scope: string;
  readonly #colour: string | undefined;
  readonly #resumes: boolean;
  readonly #ended: Stream[] = [];
  #from: number | "initial" = 10;
  #call = 0;
  #frames: Frame[] = [];
  #reached = 10;

  /** @param resumes whether it never leaves anything out */
  constructor(server: SimulatedServer, client: string, scope: string, colour: string | undefined, resumes: boolean) {
    this.#server = server;
    this.#client = client;
    this.#scope = scope;
    this.#colour = colour;
    this.#resumes = resumes;
  }

  step(): void {
    const server = this.#server;
    if (this.#frames.length > 0 && server.chance(0.03)) this.#reopen();
    else if (server.chance(0.1)) this.#bookmark();
    else this.#event();
  }

  /** Brings it to the present and ends it. */
  finish(): Stream[] {
    while (this.#event());
    this.#bookmark();
    this.#end("open", this.#server.revision);
    return this.#ended;
  }

  #event(): boolean {
    const { changes } = this.#server;
    const next = changes.find(({ revision }) => revision > this.#reached);
    if (!next) return false;
    this.#reached = next.revision;
    const sees = (object: Seen | undefined): boolean =>
      object !== undefined &&
      object.key.startsWith(this.#scope) &&
      (this.#colour === undefined || object.colour === this.#colour);
    const { before, after, revision } = next;
    const at = this.#server.tick();
    if (sees(after)) this.#frames.push({ type: sees(before) ? "MODIFIED" : "ADDED", object: after!, at });
    else if (sees(before)) this.#frames.push({ type: "DELETED", object: { ...before!, revision }, at });
    return true;
  }

  #bookmark(): void {
    const next = this.#server.changes.find(({ revision }) => revision > this.#reached);
    if (!next) this.#reached = this.#server.revision;
    this.#frames.push({ type: "BOOKMARK", revision: this.#reached, initialEnd: false, at: this.#server.tick() });
  }

  /** How far its reader knows that it is. */
  get #shown(): number {
    const revisions = this.#frames.map((frame) =>
      frame.type === "ERROR" ? 0 : "object" in frame ? frame.object.revision : frame.revision,
    );
    return Math.max(this.#from === "initial" ? 0 : this.#from, ...revisions);
  }

  #reopen(): void {
    const server = this.#server;
    this.#end("ended", undefined);
    const shown = this.#shown;
    this.#call = server.tick();
    this.#frames = [];
    const chance = server.random.next();
    if (chance < 0.5 || this.#resumes) this.#from = shown;
    else if (chance < 0.75) this.#from = server.changes.length > 0 ? server.pick(server.changes).revision : 10;
    else {
      this.#from = "initial";
      this.#reached = server.revision;
      for (const object of server.stateAt(this.#reached, this.#scope, this.#colour)) {
        this.#frames.push({ type: "ADDED", object, at: server.tick() });
      }
      this.#frames.push({ type: "BOOKMARK", revision: this.#reached, initialEnd: true, at: server.tick() });
      return;
    }
    // A watch that begins again from an earlier revision gets the events again.
    this.#reached = this.#from;
  }

  #end(end: Stream["end"], due: number | undefined): void {
    this.#ended.push({
      client: this.#client,
      server: 0,
      scope: this.#scope,
      ...(this.#colour === undefined ? {} : { colour: this.#colour }),
      from: this.#from,
      call: this.#call,
      frames: this.#frames,
      end,
      ...(due === undefined ? {} : { due }),
    });
  }
}
