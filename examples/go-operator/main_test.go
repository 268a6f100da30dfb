package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// direct reads from the cluster, not from a cache.
var direct client.Client

// The operator runs in the test process, as it would in a cluster.
func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	running, stop := context.WithCancel(context.Background())
	config := ctrl.GetConfigOrDie()
	scheme, err := newScheme()
	if err == nil {
		direct, err = client.New(config, client.Options{Scheme: scheme})
	}
	if err == nil {
		// The operator does this, too; the tests need not wait for it.
		err = install(running, config, scheme)
	}
	if err != nil {
		panic(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run(running, config) }()
	code := m.Run()
	stop()
	if err := <-ended; err != nil {
		panic(err)
	}
	os.Exit(code)
}

func TestGreets(t *testing.T) {
	ada := greeting(t, "greets", "Ada")
	must(t, direct.Create(t.Context(), ada))
	if ada.Spec.Words != "Hello" || ada.Generation != 1 {
		t.Fatalf("expected the default words and the first generation, got %+v", ada)
	}
	isReady(t, ada, metav1.ConditionTrue, "Greeted")
	says(t, ada, "Hello, Ada")
	if len(ada.Finalizers) != 1 {
		t.Fatalf("expected a finalizer, got %v", ada.Finalizers)
	}
	eventually(t, "an event tells of it", func() bool {
		var found eventsv1.EventList
		must(t, direct.List(t.Context(), &found, client.InNamespace(ada.Namespace)))
		return len(found.Items) == 1 && found.Items[0].Regarding.UID == ada.UID && found.Items[0].Reason == "Greeted"
	})
}

func TestFollows(t *testing.T) {
	ada := greeting(t, "follows", "Ada")
	must(t, direct.Create(t.Context(), ada))
	isReady(t, ada, metav1.ConditionTrue, "Greeted")
	before := ada.DeepCopyObject().(*Greeting)
	ada.Spec.Words = "Good morning"
	must(t, direct.Patch(t.Context(), ada, client.MergeFrom(before)))
	isReady(t, ada, metav1.ConditionTrue, "Greeted")
	if ada.Generation != 2 {
		t.Fatalf("expected the second generation, got %d", ada.Generation)
	}
	says(t, ada, "Good morning, Ada")
	must(t, direct.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ada.Namespace, Name: ada.Name}}))
	says(t, ada, "Good morning, Ada")
}

func TestRefusesByRules(t *testing.T) {
	ada := greeting(t, "rules", "Ada")
	must(t, direct.Create(t.Context(), ada))
	before := ada.DeepCopyObject().(*Greeting)
	ada.Spec.To = "Bob"
	err := direct.Patch(t.Context(), ada, client.MergeFrom(before))
	if !errors.IsInvalid(err) || !strings.Contains(err.Error(), `spec.to: Invalid value: "Bob": a greeting stays with whom it was for`) {
		t.Fatalf("expected the rule to refuse it, got %v", err)
	}
	if err := direct.Create(t.Context(), greeting(t, "nobody", "")); !errors.IsInvalid(err) {
		t.Fatalf("expected a greeting of nobody to be refused, got %v", err)
	}
}

func TestGreetsNobodyTwice(t *testing.T) {
	one := greeting(t, "twice", "Ada")
	other := one.DeepCopyObject().(*Greeting)
	other.Name = "twice-again"
	must(t, direct.Create(t.Context(), one))
	isReady(t, one, metav1.ConditionTrue, "Greeted")
	must(t, direct.Create(t.Context(), other))
	isReady(t, other, metav1.ConditionFalse, "AlreadyGreeted")
	must(t, direct.Delete(t.Context(), one))
	isReady(t, other, metav1.ConditionTrue, "Greeted")
	says(t, other, "Hello, Ada")
}

func TestSharesItsStatus(t *testing.T) {
	ada := greeting(t, "shares", "Ada")
	must(t, direct.Create(t.Context(), ada))
	isReady(t, ada, metav1.ConditionTrue, "Greeted")
	read := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
		"type": "Read", "status": "True", "reason": "Smiled", "message": "", "lastTransitionTime": metav1.Now().UTC().Format(time.RFC3339),
	}}}}}
	read.SetGroupVersionKind(groupVersion.WithKind("Greeting"))
	read.SetNamespace(ada.Namespace)
	read.SetName(ada.Name)
	must(t, direct.Status().Apply(t.Context(), client.ApplyConfigurationFromUnstructured(read), client.FieldOwner("reader")))
	must(t, direct.Get(t.Context(), client.ObjectKeyFromObject(ada), ada))
	before := ada.DeepCopyObject().(*Greeting)
	ada.Spec.Words = "Good evening"
	must(t, direct.Patch(t.Context(), ada, client.MergeFrom(before)))
	isReady(t, ada, metav1.ConditionTrue, "Greeted")
	if !meta.IsStatusConditionTrue(ada.Status.Conditions, "Read") {
		t.Fatalf("expected the condition of the reader together with that of the operator, got %+v", ada.Status.Conditions)
	}
}

func TestSaysGoodbye(t *testing.T) {
	ada := greeting(t, "goodbye", "Ada")
	must(t, direct.Create(t.Context(), ada))
	isReady(t, ada, metav1.ConditionTrue, "Greeted")
	must(t, direct.Delete(t.Context(), ada))
	eventually(t, "it is gone", func() bool {
		return errors.IsNotFound(direct.Get(t.Context(), client.ObjectKeyFromObject(ada), &Greeting{}))
	})
	var left corev1.ConfigMap
	must(t, direct.Get(t.Context(), client.ObjectKey{Namespace: ada.Namespace, Name: farewells}, &left))
	if left.Data[ada.Name] != "Goodbye, Ada" {
		t.Fatalf("expected a farewell, got %v", left.Data)
	}
}

// greeting returns a new Greeting in its own namespace.
func greeting(t *testing.T, name, to string) *Greeting {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}
	must(t, direct.Create(t.Context(), namespace))
	return &Greeting{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: name}, Spec: GreetingSpec{To: to}}
}

// isReady waits until the operator has reported the newest spec, and reads the Greeting again.
func isReady(t *testing.T, of *Greeting, status metav1.ConditionStatus, reason string) {
	t.Helper()
	eventually(t, of.Name+" is told "+reason, func() bool {
		must(t, direct.Get(t.Context(), client.ObjectKeyFromObject(of), of))
		ready := meta.FindStatusCondition(of.Status.Conditions, "Ready")
		return ready != nil && ready.Status == status && ready.Reason == reason && ready.ObservedGeneration == of.Generation
	})
}

// says waits for the text in the ConfigMap of a Greeting, which must be owned by the Greeting.
func says(t *testing.T, of *Greeting, words string) {
	t.Helper()
	var said corev1.ConfigMap
	eventually(t, of.Name+" says "+words, func() bool {
		must(t, client.IgnoreNotFound(direct.Get(t.Context(), client.ObjectKeyFromObject(of), &said)))
		return said.Data["greeting"] == words
	})
	if !metav1.IsControlledBy(&said, of) {
		t.Fatalf("expected the Greeting to own its ConfigMap, got %+v", said.OwnerReferences)
	}
}

func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !check(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come about in time: " + what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
