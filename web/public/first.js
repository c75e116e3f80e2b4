// Before anything is painted: the theme and language chosen last time, so nothing flashes.
(function () {
  var root = document.documentElement;
  try {
    var theme = localStorage.getItem("saniwa.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    var language = localStorage.getItem("saniwa.language");
    if (language === "en" || language === "ja") root.lang = language;
    else if (/^ja\b/.test(navigator.language)) root.lang = "ja";
  } catch (refused) {
    // A browser that keeps nothing gets the system's theme and the page's first language.
  }
})();
