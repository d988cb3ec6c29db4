// The baseline for benchmarks: a worker that responds with the value of one key. A POST sets the
// value.
export default {
  async fetch(request, env) {
    if (request.method === 'POST') await env.PLEDGES.put('answer', await request.text());
    return new Response(await env.PLEDGES.get('answer'), {
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'public, max-age=300',
        'Access-Control-Allow-Origin': '*',
      },
    });
  },
};
