package main

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

var groupVersion = schema.GroupVersion{Group: "example.dev", Version: "v1"}

// Greeting has somebody greeted, by a ConfigMap of its name.
type Greeting struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GreetingSpec   `json:"spec"`
	Status            GreetingStatus `json:"status,omitempty"`
}

// GreetingSpec is what people want.
type GreetingSpec struct {
	To    string `json:"to"`
	Words string `json:"words,omitempty"`
}

// GreetingStatus is what has come of it.
type GreetingStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// GreetingList is many of them.
type GreetingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Greeting `json:"items"`
}

// DeepCopyObject makes a copy that shares nothing.
func (g *Greeting) DeepCopyObject() runtime.Object {
	copied := *g
	g.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	copied.Status.Conditions = nil
	for i := range g.Status.Conditions {
		copied.Status.Conditions = append(copied.Status.Conditions, *g.Status.Conditions[i].DeepCopy())
	}
	return &copied
}

// DeepCopyObject makes a copy that shares nothing.
func (l *GreetingList) DeepCopyObject() runtime.Object {
	copied := *l
	l.ListMeta.DeepCopyInto(&copied.ListMeta)
	copied.Items = nil
	for i := range l.Items {
		copied.Items = append(copied.Items, *l.Items[i].DeepCopyObject().(*Greeting))
	}
	return &copied
}

// newScheme knows what the operator speaks of: built-in kinds, definitions, and its own kind.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	own := runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(groupVersion, &Greeting{}, &GreetingList{})
		metav1.AddToGroupVersion(scheme, groupVersion)
		return nil
	})
	all := runtime.NewSchemeBuilder(clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, own.AddToScheme)
	return scheme, all.AddToScheme(scheme)
}
