// The peer of benchmarks: a worker that reads one key and answers it. What is posted to
// it is what it answers from then on.
export default {
  async fetch(request, env) {
    if (request.method === "POST") await env.PLEDGES.put("answer", await request.text());
    return new Response(await env.PLEDGES.get("answer"), {
      headers: { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*" },
    });
  },
};
