// Command zoo runs one controller of the zoo: zoo NAME [--mended] [--kubeconfig FILE].
// Each has one fault; with --mended only that is mended.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var group = schema.GroupVersion{Group: "zoo.example.com", Version: "v1"}

// parts is what a controller gets.
type parts struct {
	mended bool
}

// controllers are those over controller-runtime.
var controllers = map[string]func(ctrl.Manager, parts) error{
	"backups":   backups,
	"banners":   banners,
	"snapshots": snapshots,
	"vaults":    vaults,
}

// programs are those over client-go alone.
var programs = map[string]func(context.Context, *rest.Config, parts) error{
	"census":      census,
	"databases":   databases,
	"directories": directories,
	"schedules":   schedules,
}

func main() {
	ctrl.SetLogger(klog.NewKlogr())
	var given parts
	flag.BoolVar(&given.mended, "mended", false, "run the twin without the fault")
	if len(os.Args) < 2 {
		fail(fmt.Errorf("expected the name of a controller"))
	}
	name := os.Args[1]
	_ = flag.CommandLine.Parse(os.Args[2:])
	if err := run(ctrl.SetupSignalHandler(), name, given); err != nil {
		fail(err)
	}
}

func run(ctx context.Context, name string, given parts) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.UserAgent = name
	if program, ok := programs[name]; ok {
		return program(ctx, config, given)
	}
	setUp, ok := controllers[name]
	if !ok {
		return fmt.Errorf("expected the name of a controller, got %s", name)
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	if err := setUp(manager, given); err != nil {
		return err
	}
	return manager.Start(ctx)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// object returns an empty object of a kind of the zoo.
func object(kind string) *unstructured.Unstructured {
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(group.WithKind(kind))
	return empty
}

// text returns a member of an object, or an empty text.
func text(from *unstructured.Unstructured, path ...string) string {
	found, _, _ := unstructured.NestedString(from.Object, path...)
	return found
}

// ignoreNotFound returns no result for an object that is gone.
func ignoreNotFound(err error) (ctrl.Result, error) {
	return ctrl.Result{}, client.IgnoreNotFound(err)
}
