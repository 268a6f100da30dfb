// A container runtime that runs nothing: it answers an agent of a node as one that has started what it was asked to, and keeps
// what it was told. Sandboxes and containers are entries of a table; a container runs from its start to its stop.
//
// Every call that changes something is a line of JSON in STATE/calls. While the file STATE/exit/CONTAINER is there, a container of
// that name ends at once with the number in it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"google.golang.org/grpc"
	runtime "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// note takes a call down where it changes something, and lets one in at a time.
type notes struct {
	state string
	mutex sync.Mutex
}

func changes(method string) bool {
	for _, verb := range []string{"Run", "Create", "Start", "Stop", "Remove", "Pull"} {
		if strings.HasPrefix(method, verb) {
			return true
		}
	}
	return false
}

func (n *notes) note(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	method := info.FullMethod[strings.LastIndex(info.FullMethod, "/")+1:]
	if changes(method) {
		if err := n.write(method, request); err != nil {
			return nil, err
		}
	}
	return handle(ctx, request)
}

func (n *notes) write(method string, request any) error {
	line, err := json.Marshal(map[string]any{"method": method, "request": request})
	if err != nil {
		return err
	}
	calls, err := os.OpenFile(filepath.Join(n.state, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer calls.Close()
	_, err = calls.Write(append(line, '\n'))
	return err
}

func main() {
	socket := flag.String("socket", "", "the socket to listen on")
	state := flag.String("state", "", "the folder for calls, and for who is to end")
	flag.Parse()
	listener, err := net.Listen("unix", *socket)
	if err != nil {
		log.Fatal(err)
	}
	taken := &notes{state: *state}
	server := grpc.NewServer(grpc.UnaryInterceptor(taken.note))
	runtime.RegisterRuntimeServiceServer(server, newStandIn(*state))
	runtime.RegisterImageServiceServer(server, &images{present: map[string]bool{}})
	fmt.Println("ready")
	log.Fatal(server.Serve(listener))
}
