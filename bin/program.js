// Runs the program that `tools/bundle.js` has put together of all modules.
//
// A chunk of it is compiled once: what V8 has made of its functions until a process ends is kept beside it, and the next
// start of the same command reads that. Functions that nobody has called are not in it, and cost no memory.
//
// In a checkout it is run only where every source is in the state in which it was read. Nothing here is trusted that could be
// half written: files come to be by a rename, and compiled code carries a checksum.
//
// A module of Node's own, once it is imported, evaluates all that it has; here only what is used of it is asked for.
const { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");
const v8 = process.getBuiltinModule("node:v8");
const vm = process.getBuiltinModule("node:vm");
const { crc32 } = process.getBuiltinModule("node:zlib");

/** Versions of Node.js whose compiled code is kept, and programs. */
const KEPT = 4;

/**
 * The state of a file, by which a change of it is noticed; undefined where it is not there.
 *
 * @param {string} file
 * @returns {string | undefined}
 */
export function stateOf(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.size} ${found.mtimeMs}`;
}

/**
 * The program below a folder, `/opt/keelson/`, that is what the sources of `root` say; undefined where there is none.
 *
 * @param {string} root
 * @returns {Program | undefined}
 */
export function openProgram(root) {
  const programs = join(root, "dist/program");
  try {
    const { id, sources } = JSON.parse(readFileSync(join(programs, "current.json"), "utf8"));
    // A package has no sources, and what was built does not change.
    if (stateOf(`${root}src`) === undefined) return new Program(join(programs, id), id);
    for (const [file, state] of Object.entries(sources)) if (stateOf(root + file) !== state) return undefined;
    return new Program(join(programs, id), id);
  } catch {
    return undefined;
  }
}

/**
 * Writes a file that is there whole or not at all.
 *
 * @param {string} file
 * @param {string | Uint8Array} content
 */
export function writeWhole(file, content) {
  const writing = `${file}.${process.pid}`;
  writeFileSync(writing, content, { mode: 0o600 });
  renameSync(writing, file);
}

/**
 * Removes all folders of a folder but those that were made last.
 *
 * @param {string} folder
 */
export function keepNewest(folder) {
  const all = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());
  const aged = all.map(({ name }) => ({ name, time: statSync(join(folder, name)).mtimeMs }));
  for (const { name } of aged.sort((a, b) => b.time - a.time).slice(KEPT))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** The chunks of a program, each run when it is first asked for. */
class Program {
  #folder;
  #id;
  #code = [];
  #loaded = new Map();
  #fresh = [];
  /** What code that is compiled now is good for. */
  #version = versionOfCode();
  #require;

  constructor(folder, id) {
    this.#folder = folder;
    this.#id = id;
    this.#require = process.getBuiltinModule("node:module").createRequire(join(folder, "main.js"));
  }

  /**
   * What a chunk exports.
   *
   * @param {string} name `main.js`
   * @param {string} command what is run: each has compiled code of its own
   */
  open(name, command) {
    if (this.#code.length > 0) return this.#load(name);
    const beside = join(this.#folder, "code");
    this.#code = [{ place: beside, folder: join(beside, this.#version, command) }];
    // What others may write root does not run; it can write beside the program.
    if (process.getuid?.() !== 0) {
      const place = cacheFolder();
      this.#code.push({ place, folder: join(place, `${this.#id}-${this.#version}`, command) });
    }
    process.on("exit", () => this.keep());
    return this.#load(name);
  }

  #load(name) {
    const known = this.#loaded.get(name);
    if (known) return known.exports;
    const chunk = { exports: {} };
    this.#loaded.set(name, chunk);
    const filename = join(this.#folder, name);
    const source = readFileSync(filename, "latin1");
    const cachedData = this.#compiled(name);
    const script = new vm.Script(`(function(exports,require,module,__filename){"use strict";${source}\n})`, {
      filename,
      cachedData,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (!cachedData || script.cachedDataRejected) this.#fresh.push({ name, script });
    const require = (id) => (id.startsWith("./") ? this.#load(id.slice(2)) : this.#require(id));
    script.runInThisContext()(chunk.exports, require, chunk, filename);
    return chunk.exports;
  }

  #compiled(name) {
    for (const { folder } of this.#code) {
      try {
        const file = readFileSync(join(folder, name));
        const code = file.subarray(4);
        if (crc32(code) === file.readUInt32LE()) return code;
      } catch {
        // Nobody has kept it yet.
      }
    }
    return undefined;
  }

  /** Keeps what was compiled in the first place that can be written to; once, and not where flags have changed meanwhile. */
  keep() {
    const fresh = this.#fresh.splice(0);
    if (fresh.length === 0 || versionOfCode() !== this.#version) return;
    const compiled = fresh.map(({ name, script }) => ({ name, code: script.createCachedData() }));
    for (const { place, folder } of this.#code) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        for (const { name, code } of compiled) {
          const sum = Buffer.alloc(4);
          sum.writeUInt32LE(crc32(code));
          writeWhole(join(folder, name), Buffer.concat([sum, code]));
        }
        keepNewest(place);
        return;
      } catch {
        // Not here.
      }
    }
  }
}

/** Code of another version of V8, or of one with other flags, is refused. */
const versionOfCode = () => `${process.version}-${process.arch}-${v8.cachedDataVersionTag()}`;

/** Where a user keeps what can be made again. */
function cacheFolder() {
  const { homedir } = process.getBuiltinModule("node:os");
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "keelson");
}
