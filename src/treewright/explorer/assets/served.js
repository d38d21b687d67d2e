// Served: the trees of a forest that its page does not hold, where a program on this machine has them.

import { page } from "./main.js";

page.forestView.serve(async (place) => {
  const answer = await fetch(`/tree/${place}`);
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
});
