// The list of a server's matches, newest first.

function part(name, text, className, parent) {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  parent.append(made);
  return made;
}

const source = new EventSource("/events"), status = document.getElementById("status");
source.onmessage = message => {
  const matches = JSON.parse(message.data);
  status.textContent = matches.length ? `${matches.filter(match => !match.over).length} in play` : "No match yet";
  document.getElementById("matches").replaceChildren(...matches.reverse().map(match => {
    const item = document.createElement("li"), link = part("a", "", "card", item);
    link.href = `/match/${encodeURIComponent(match.id)}`;
    const names = part("span", "", "teams", link);
    match.players.forEach((name, team) => { part("span", "", `stone team${team}`, names); part("span", name, "name", names); });
    part("span", `${match.score[0]} : ${match.score[1]}`, "points", link);
    part("span", `${match.id} \u00b7 ${match.over ? match.reason.replace("_", " ") : `end ${match.end + 1} of ${match.ends}`}`, "note", link);
    return item;
  }));
};
source.onerror = () => {
  status.textContent = source.readyState === EventSource.CLOSED ? "Connection lost: load the page again" : "Connection lost, trying again";
};
