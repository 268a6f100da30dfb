// Command go-clients uses a server as programs in Go do: with client-go's clientsets, informers, recorders and leader
// election, with the clientset of definitions, and with controller-runtime. It prints a line for each thing that it tried:
//
//	ok PART: NAME
//	not ok PART: NAME: WHY
//
// The server is the one of KUBECONFIG, the part to play is its argument. A part that wants the server restarted prints
// "restart" and waits for a line on its standard input.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/features"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	beginsWithList  = "informers that begin with a list"
	beginsWithWatch = "informers that begin with a watch"
	customKinds     = "custom resources"
)

var parts = map[string]func(*session){
	"typed":         typedClients,
	"kinds":         builtinKinds,
	"subresources":  ways,
	"dynamic":       dynamicClient,
	"apply":         applying,
	"discovery":     discovering,
	beginsWithList:  informing,
	beginsWithWatch: informing,
	"events":        recording,
	"election":      electing,
	"manager":       managing,
	"trust":         trusting,
	customKinds:     customResources,
}

func main() {
	klog.SetLogger(logr.Discard())
	ctrllog.SetLogger(logr.Discard())
	if len(os.Args) != 2 || parts[os.Args[1]] == nil {
		fmt.Fprintf(os.Stderr, "expected one argument, a part, got %q\n", os.Args[1:])
		os.Exit(2)
	}
	part := os.Args[1]
	if part == beginsWithList {
		// Clients ask for it when they are made, and never again.
		must(os.Setenv("KUBE_FEATURE_"+string(features.WatchListClient), "false"))
	}
	s := newSession(part)
	parts[part](s)
	if s.failed {
		os.Exit(1)
	}
}

// session is one part that is played, with a namespace of its own.
type session struct {
	part      string
	config    *rest.Config
	clients   *kubernetes.Clientset
	namespace string
	failed    bool
}

func newSession(part string) *session {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{}).ClientConfig()
	s := &session{part: part, config: config}
	s.check("a client is made from the kubeconfig", func(ctx context.Context) {
		must(err)
		config.QPS = -1
		s.clients = kubernetes.NewForConfigOrDie(config)
		namespace := corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "go-clients-"}}
		s.namespace = value(s.clients.CoreV1().Namespaces().Create(ctx, &namespace, metav1.CreateOptions{})).Name
	})
	if s.failed {
		os.Exit(1)
	}
	return s
}

// failure is what a check ends with when it was not as it should be.
type failure struct{ why string }

// check tries one thing, within a minute.
func (s *session) check(name string, try func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	why := func() (why string) {
		defer func() {
			if found, is := recover().(failure); is {
				why = found.why
			}
		}()
		try(ctx)
		return ""
	}()
	if why == "" {
		fmt.Printf("ok %s: %s\n", s.part, name)
		return
	}
	s.failed = true
	fmt.Printf("not ok %s: %s: %s\n", s.part, name, strings.ReplaceAll(why, "\n", " "))
}

// restart has the server restarted.
func (s *session) restart() {
	fmt.Println("restart")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		panic(failure{"the server was not restarted: " + err.Error()})
	}
}

// must fails the check for an error.
func must(err error) {
	if err != nil {
		panic(failure{err.Error()})
	}
}

// value is what a call gave; its error fails the check.
func value[T any](got T, err error) T {
	must(err)
	return got
}

// same fails the check when two things differ.
func same[T comparable](what string, got, want T) {
	if got != want {
		panic(failure{fmt.Sprintf("expected %s to be %v, got %v", what, want, got)})
	}
}

// holds fails the check when something is not so.
func holds(what string, so bool) {
	if !so {
		panic(failure{"expected " + what})
	}
}

// refused fails the check unless an error is of a kind.
func refused(what string, err error, is func(error) bool) {
	if !is(err) {
		panic(failure{fmt.Sprintf("expected %s to be refused, got %v", what, err)})
	}
}

// eventually waits until something is so, as long as the check may take.
func eventually(ctx context.Context, what string, so func() bool) {
	for !so() {
		select {
		case <-ctx.Done():
			panic(failure{"expected in time that " + what})
		case <-time.After(20 * time.Millisecond):
		}
	}
}
