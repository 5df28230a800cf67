package main

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kind is how the program has its objects.
type kind struct {
	empty    func() client.Object
	observed func(client.Object) int64
	at       func(client.Object) string
}

// typed objects are read from the cache.
var typed = kind{
	empty:    func() client.Object { return &Web{} },
	observed: func(object client.Object) int64 { return object.(*Web).Status.ObservedGeneration },
	at:       func(object client.Object) string { return object.(*Web).Spec.At },
}

// untyped objects are read from the server: that is what controller-runtime does with them.
var untyped = kind{
	empty: func() client.Object {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(schema.GroupVersionKind{Group: "bench.example.com", Version: "v1", Kind: "Web"})
		return object
	},
	observed: func(object client.Object) int64 {
		observed, _, _ := unstructured.NestedInt64(object.(*unstructured.Unstructured).Object, "status", "observedGeneration")
		return observed
	},
	at: func(object client.Object) string {
		at, _, _ := unstructured.NestedString(object.(*unstructured.Unstructured).Object, "spec", "at")
		return at
	},
}
