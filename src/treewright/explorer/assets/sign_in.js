// Sign in: the token in the address is handed in once for a cookie that scripts cannot read.

const token = new URLSearchParams(window.location.hash.slice(1)).get("token");
const answer =
  token &&
  (await fetch("/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  }));
if (answer && answer.ok) window.location.replace("/");
else
  document.getElementById("words").textContent =
    "This page belongs to whoever started the explorer: use the address that it printed.";
