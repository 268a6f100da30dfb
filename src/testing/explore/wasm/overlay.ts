/**
 * What replaces parts of Go's standard library when a program is built for a cluster of a test: its HTTP requests go to the host, its
 * calls of files return at once, and it waits before `main` so that a copy of it can be kept.
 *
 * @module
 */

/** `net/http/roundtrip_js.go`: requests are sent by the host, which wakes the program when there is something to read. */
export const ROUND_TRIP_GO: string = String.raw`//go:build js && wasm

package http

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall/js"
	"unsafe"
)

//go:wasmimport keelson send
func hostSend(id int32, head unsafe.Pointer, headLength int32, body unsafe.Pointer, bodyLength int32)

// hostHead returns the length of the head of the response, -1 before there is one, -2 where there will be none.
//
//go:wasmimport keelson head
func hostHead(id int32, to unsafe.Pointer, length int32) int32

// hostRead returns the number of bytes read, 0 where the program must wait, -1 in the end, -2 where the body has broken off.
//
//go:wasmimport keelson read
func hostRead(id int32, to unsafe.Pointer, length int32) int32

//go:wasmimport keelson failure
func hostFailure(id int32, to unsafe.Pointer, length int32) int32

//go:wasmimport keelson cancel
func hostCancel(id int32)

var hostRequests = struct {
	sync.Mutex
	last  int32
	ready map[int32]chan struct{}
}{ready: map[int32]chan struct{}{}}

func init() {
	js.Global().Set("wake", js.FuncOf(func(this js.Value, args []js.Value) any {
		hostRequests.Lock()
		ready := hostRequests.ready[int32(args[0].Int())]
		hostRequests.Unlock()
		select {
		case ready <- struct{}{}:
		default:
		}
		return nil
	}))
}

//go:linkname beforeMain runtime.beforeMain
var beforeMain func()

func init() {
	beforeMain = func() {
		start := make(chan struct{})
		js.Global().Set("start", js.FuncOf(func(this js.Value, args []js.Value) any {
			close(start)
			return nil
		}))
		<-start
	}
}

var errHostBodyClosed = errors.New("http: read on closed response body")

// RoundTrip sends a request through the host.
func (t *Transport) RoundTrip(req *Request) (*Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	ready := make(chan struct{}, 1)
	hostRequests.Lock()
	hostRequests.last++
	id := hostRequests.last
	hostRequests.ready[id] = ready
	hostRequests.Unlock()
	end := sync.OnceFunc(func() {
		hostCancel(id)
		hostRequests.Lock()
		delete(hostRequests.ready, id)
		hostRequests.Unlock()
	})
	var head strings.Builder
	method := req.Method
	if method == "" {
		method = MethodGet
	}
	head.WriteString(method + " " + req.URL.String() + "\r\n")
	if err := req.Header.Write(&head); err != nil {
		end()
		return nil, err
	}
	sent := []byte(head.String())
	hostSend(id, unsafe.Pointer(unsafe.SliceData(sent)), int32(len(sent)), unsafe.Pointer(unsafe.SliceData(body)), int32(len(body)))
	for {
		length := hostHead(id, nil, 0)
		if length == -2 {
			err := hostError(id)
			end()
			return nil, err
		}
		if length >= 0 {
			read := make([]byte, length)
			hostHead(id, unsafe.Pointer(unsafe.SliceData(read)), length)
			response, err := ReadResponse(bufio.NewReader(strings.NewReader("HTTP/1.1 "+string(read)+"\r\n")), req)
			if err != nil {
				end()
				return nil, err
			}
			response.Body = &hostBody{id: id, ready: ready, context: req.Context(), closed: make(chan struct{}), end: end}
			return response, nil
		}
		select {
		case <-ready:
		case <-req.Context().Done():
			end()
			return nil, req.Context().Err()
		}
	}
}

func hostError(id int32) error {
	text := make([]byte, hostFailure(id, nil, 0))
	hostFailure(id, unsafe.Pointer(unsafe.SliceData(text)), int32(len(text)))
	return errors.New(string(text))
}

type hostBody struct {
	id      int32
	ready   chan struct{}
	context context.Context
	once    sync.Once
	closed  chan struct{}
	end     func()
	err     error
}

func (b *hostBody) Read(p []byte) (int, error) {
	for {
		select {
		case <-b.closed:
			return 0, errHostBodyClosed
		default:
		}
		if b.err != nil || len(p) == 0 {
			return 0, b.err
		}
		switch n := hostRead(b.id, unsafe.Pointer(unsafe.SliceData(p)), int32(len(p))); {
		case n > 0:
			return int(n), nil
		case n == -1:
			b.err = io.EOF
		case n == -2:
			b.err = hostError(b.id)
		default:
			select {
			case <-b.ready:
			case <-b.closed:
			case <-b.context.Done():
				b.err = b.context.Err()
			}
		}
		if b.err != nil {
			b.end()
		}
	}
}

func (b *hostBody) Close() error {
	b.once.Do(func() {
		close(b.closed)
		b.end()
	})
	return nil
}
`;

/** How `runtime/proc.go` calls `main`, and what it calls before: everything is initialized, and `main` has not begun. */
const CALL_OF_MAIN = "\n\tfn := main_main ";
const BEFORE_MAIN_GO = `
	if beforeMain != nil {
		beforeMain()
	}`;
const HOOK_GO = `
//go:linkname beforeMain
var beforeMain func()
`;

/** Returns `runtime/proc.go` of a toolchain with a hook before `main`. @throws Error where the file is not as expected */
export function hookOf(source: string): string {
  const [before, after, ...more] = source.split(CALL_OF_MAIN);
  if (after === undefined || more.length > 0) throw new Error(unsupported("runtime/proc.go", "one call of main_main"));
  return before + BEFORE_MAIN_GO + CALL_OF_MAIN + after + HOOK_GO;
}

/** How `syscall/fs_js.go` calls the host: it returns at once, and throws what Node passes to a callback. */
const FS_CALL_GO = `func fsCall(name string, args ...any) (result js.Value, err error) {
	defer recoverErr(&err)
	return jsFS.Call(name, args...), nil
}
`;

/**
 * Returns `syscall/fs_js.go` of a toolchain with calls that return at once: with a callback, every line of a log would let all other
 * goroutines run.
 *
 * @throws Error where the file is not as expected
 */
export function fileCallsOf(source: string): string {
  const start = source.indexOf("func fsCall(");
  const end = source.indexOf("\n}\n", start);
  if (start < 0 || end < 0 || !source.includes("func recoverErr(")) {
    throw new Error(unsupported("syscall/fs_js.go", "the functions fsCall and recoverErr"));
  }
  return source.slice(0, start) + FS_CALL_GO + source.slice(end + "\n}\n".length);
}

/** Where `runtime/lock_js.go` asks for an event at the time of the next timer. */
const IDLE_TIMEOUT = "\n\t\tidleTimeout = &timeoutEvent{";
const DEADLINE_GO = `
//go:wasmimport keelson deadline
func hostDeadline(ms int64)

// longDelay returns the ms until the first timer that is no ticker of less than a minute; -1 where there is none.
func longDelay(now int64) int64 {
	first := int64(0)
	for _, pp := range allp {
		for _, entry := range pp.timers.heap {
			t := entry.timer
			if t.when > 0 && (t.period == 0 || t.period >= 60e9) && (first == 0 || t.when < first) {
				first = t.when
			}
		}
	}
	if first == 0 {
		return -1
	}
	return max((first-now-1)/1e6+1, 1)
}
`;

/**
 * Returns `runtime/lock_js.go` of a toolchain that says beside the time of the next timer that of the next one which is no short ticker: a
 * manager has a ticker of 500 ms for each queue, which in a day of quiet would be all that it does.
 *
 * @throws Error where the file is not as expected
 */
export function deadlinesOf(source: string): string {
  const [before, after, ...more] = source.split(IDLE_TIMEOUT);
  if (after === undefined || more.length > 0) throw new Error(unsupported("runtime/lock_js.go", "one idle timeout"));
  return `${before}\n\t\thostDeadline(longDelay(now))${IDLE_TIMEOUT}${after}${DEADLINE_GO}`;
}

const unsupported = (file: string, expected: string): string =>
  `expected ${file} of Go to have ${expected}: this version of Go is not supported`;
