package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	finalizer = "example.dev/farewell"
	// byWhom is the index of Greetings by the greeted person.
	byWhom = "spec.to"
	// farewells is the ConfigMap of a namespace with a goodbye for each deleted Greeting.
	farewells = "farewells"
)

// greeter keeps a ConfigMap for each Greeting. In a namespace it greets each person once: the first Greeting wins.
type greeter struct {
	client.Client
	recorder events.EventRecorder
}

func setUp(ctx context.Context, manager ctrl.Manager) error {
	whom := func(object client.Object) []string { return []string{object.(*Greeting).Spec.To} }
	if err := manager.GetFieldIndexer().IndexField(ctx, &Greeting{}, byWhom, whom); err != nil {
		return err
	}
	g := &greeter{Client: manager.GetClient(), recorder: manager.GetEventRecorder(operator)}
	return ctrl.NewControllerManagedBy(manager).
		For(&Greeting{}).
		Owns(&corev1.ConfigMap{}).
		Watches(&Greeting{}, handler.EnqueueRequestsFromMapFunc(g.others)).
		Complete(g)
}

// Reconcile reconciles one Greeting.
func (g *greeter) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var greeting Greeting
	if err := g.Get(ctx, request.NamespacedName, &greeting); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !greeting.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, g.sayGoodbye(ctx, &greeting)
	}
	if controllerutil.AddFinalizer(&greeting, finalizer) {
		return ctrl.Result{}, g.Update(ctx, &greeting)
	}
	first, err := g.first(ctx, &greeting)
	if err != nil {
		return ctrl.Result{}, err
	}
	if first.UID != greeting.UID {
		return ctrl.Result{}, g.tell(ctx, &greeting, metav1.ConditionFalse, "AlreadyGreeted", "by "+first.Name)
	}
	if err := g.greet(ctx, &greeting); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, g.tell(ctx, &greeting, metav1.ConditionTrue, "Greeted", "as wanted")
}

// others returns the Greetings of the same person: after a deletion, another one may become the first.
func (g *greeter) others(ctx context.Context, object client.Object) []reconcile.Request {
	found, err := g.ofSame(ctx, object.(*Greeting))
	if err != nil {
		return nil
	}
	requests := []reconcile.Request{}
	for _, other := range found {
		if other.Name != object.GetName() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&other)})
		}
	}
	return requests
}

func (g *greeter) ofSame(ctx context.Context, greeting *Greeting) ([]Greeting, error) {
	var found GreetingList
	err := g.List(ctx, &found, client.InNamespace(greeting.Namespace), client.MatchingFields{byWhom: greeting.Spec.To})
	return found.Items, err
}

// first returns the first Greeting of the same person.
func (g *greeter) first(ctx context.Context, greeting *Greeting) (*Greeting, error) {
	found, err := g.ofSame(ctx, greeting)
	first := greeting
	for i := range found {
		if found[i].DeletionTimestamp.IsZero() && isBefore(&found[i], first) {
			first = &found[i]
		}
	}
	return first, err
}

func isBefore(one, other *Greeting) bool {
	if !one.CreationTimestamp.Equal(&other.CreationTimestamp) {
		return one.CreationTimestamp.Before(&other.CreationTimestamp)
	}
	return one.Name < other.Name
}

// greet applies the ConfigMap, which is owned by the Greeting.
func (g *greeter) greet(ctx context.Context, greeting *Greeting) error {
	owner := applymeta.OwnerReference().
		WithAPIVersion(groupVersion.String()).WithKind("Greeting").
		WithName(greeting.Name).WithUID(greeting.UID).
		WithController(true).WithBlockOwnerDeletion(true)
	said := applycore.ConfigMap(greeting.Name, greeting.Namespace).
		WithOwnerReferences(owner).
		WithData(map[string]string{"greeting": fmt.Sprintf("%s, %s", greeting.Spec.Words, greeting.Spec.To)})
	return g.Apply(ctx, said, client.FieldOwner(operator), client.ForceOwnership)
}

// tell updates the condition Ready if it has changed, and emits an event.
func (g *greeter) tell(ctx context.Context, greeting *Greeting, status metav1.ConditionStatus, reason, message string) error {
	condition := metav1.Condition{
		Type: "Ready", Status: status, Reason: reason, Message: message, ObservedGeneration: greeting.Generation,
	}
	if !meta.SetStatusCondition(&greeting.Status.Conditions, condition) {
		return nil
	}
	if err := g.Status().Update(ctx, greeting); err != nil {
		return err
	}
	g.recorder.Eventf(greeting, nil, corev1.EventTypeNormal, reason, "Greet", "%s was greeted: %s", greeting.Spec.To, message)
	return nil
}

// sayGoodbye writes a goodbye, and removes the finalizer.
func (g *greeter) sayGoodbye(ctx context.Context, greeting *Greeting) error {
	if !controllerutil.ContainsFinalizer(greeting, finalizer) {
		return nil
	}
	// Each Greeting owns its own key, so that they are independent.
	said := applycore.ConfigMap(farewells, greeting.Namespace).
		WithData(map[string]string{greeting.Name: "Goodbye, " + greeting.Spec.To})
	if err := g.Apply(ctx, said, client.FieldOwner(operator+"/"+greeting.Name)); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(greeting, finalizer)
	return g.Update(ctx, greeting)
}
