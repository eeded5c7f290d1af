#include "output/plan_views.h"

#include <array>

namespace gpuplan {

std::span<const PlanView> plan_views() {
  static constexpr std::array kViews = {
      PlanView{"dominated", "plans that another one beats, and by how much", dominated_view},
  };
  return kViews;
}

std::string view_text(const ViewContent& view, const Screen& screen) {
  std::string text = paragraph(view.title, screen, 0, 0) + '\n';
  if (!view.drawing.empty()) text += view.drawing;
  else if (!view.table.empty()) text += view.table.text(screen);
  for (const std::string& note : view.notes) text += paragraph(note, screen);
  return text;
}

}  // namespace gpuplan
