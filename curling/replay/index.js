// The list of the matches of a server, newest first.

function addElement(name, text, className, parent) {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  parent.append(element);
  return element;
}

const source = new EventSource("/events"), status = document.getElementById("status");
source.onmessage = message => {
  const matches = JSON.parse(message.data);
  status.textContent = matches.length ? `${matches.filter(match => !match.over).length} in play` : "No match yet";
  document.getElementById("matches").replaceChildren(...matches.reverse().map(match => {
    const item = document.createElement("li"), link = addElement("a", "", "card", item);
    link.href = `/match/${encodeURIComponent(match.id)}`;
    const names = addElement("span", "", "teams", link);
    match.players.forEach((name, team) => { addElement("span", "", `stone team${team}`, names); addElement("span", name, "name", names); });
    addElement("span", `${match.score[0]} : ${match.score[1]}`, "points", link);
    addElement("span", `${match.id} \u00b7 ${match.over ? match.reason.replace("_", " ") : `end ${match.end + 1} of ${match.ends}`}`, "note", link);
    return item;
  }));
};
source.onerror = () => {
  status.textContent = source.readyState === EventSource.CLOSED ? "Connection lost: load the page again" : "Connection lost, trying again";
};
