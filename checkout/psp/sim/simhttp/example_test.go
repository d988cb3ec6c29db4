package simhttp_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
)

// Any client library of the API can use the handler.
func ExampleNewHandler() {
	s := sim.New(sim.Options{})
	server := httptest.NewServer(simhttp.NewHandler(s, simhttp.Options{Vendor: "Acme"}))
	defer server.Close()

	r, err := http.NewRequest("GET", server.URL+"/v1/events", nil)
	if err != nil {
		log.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer sk_test_example")
	r.Header.Set("Acme-Version", psp.Version)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	fmt.Println(res.StatusCode)
	// Output: 200
}

// Without a socket the simulator responds deterministically, including faults.
func ExampleNewTransport() {
	s := sim.New(sim.Options{})
	client := &http.Client{Transport: simhttp.NewTransport(s, simhttp.Options{})}
	if err := s.InjectFaults(sim.Fault{Kind: sim.DropRequest}); err != nil {
		log.Fatal(err)
	}
	_, err := client.Get("https://processor.example/v1/events")
	fmt.Println(err)
	// Output: Get "https://processor.example/v1/events": the connection to the processor was lost
}
